import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bankAccountsQuery, linksQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import {
  type FileStatement,
  type UploadGroup,
  uploadGroupsQuery,
} from '../../api/import-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Button } from '../../controls/button.tsx'
import { ChoiceField } from '../../controls/field.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import styles from './imports.module.css'
import type { PreviewProps } from './previewed.ts'

/** IDs of bank accounts by the accounts of the file; an empty text leaves one out. */
type Goals = Record<string, string>

/** A file of several accounts: where each one goes. */
export function SeveralAccounts({ previewed, onRead, isReading, onEnd }: PreviewProps) {
  const { data, upload, choices } = previewed
  const { statements } = upload
  const { data: groups = [] } = useQuery(uploadGroupsQuery)
  const [chosen, setChosen] = useState<Goals>({})
  const goals = { ...formerGoals(statements, groups), ...chosen }
  const mapped = statements.flatMap(({ statement }) => {
    const bankAccountId = goals[statement] ?? ''
    return bankAccountId === '' ? [] : [{ statement, bankAccountId }]
  })
  const isTwice = new Set(mapped.map((one) => one.bankAccountId)).size < mapped.length
  const { send, isSending, fault } = useChange(() => {
    const { statement: _, delimiter: __, ...query } = choices
    return coffer.createUploadGroup({ body: { data, statements: mapped }, query })
  })
  return (
    <Card title={data.name}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.severalText}</p>
      <ul className={rows.rows}>
        {statements.map((one) => (
          <li key={one.statement} className={styles.statement}>
            <Statement
              statement={one}
              goal={goals[one.statement] ?? ''}
              onGoal={(goal) => setChosen((now) => ({ ...now, [one.statement]: goal }))}
            />
            <div className={styles.flush}>
              <Button
                kind="quiet"
                aria-label={words.previewOf({ name: nameOf(one) })}
                isBusy={isReading}
                onClick={() => onRead({ ...choices, statement: one.statement })}
              >
                {words.preview}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {isTwice && <p role="alert">{words.twice}</p>}
      <div className={rows.toolbar}>
        <Button
          kind="primary"
          isBusy={isSending}
          isIdle={mapped.length === 0 || isTwice}
          onClick={() => send(undefined, onEnd)}
        >
          {words.storeAccounts({ count: mapped.length })}
        </Button>
        <Button onClick={onEnd}>{words.cancel}</Button>
      </div>
    </Card>
  )
}

interface StatementProps {
  statement: FileStatement
  goal: string
  onGoal: (bankAccountId: string) => void
}

function Statement({ statement, goal, onGoal }: StatementProps) {
  const { locale } = useReader()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { data: links = [] } = useQuery(linksQuery)
  const { rowCount, balance, currency } = statement
  const manual = links.filter(({ linkType }) => linkType === 'manual').map(({ linkId }) => linkId)
  const own = accounts.filter((one) => one.currency === currency && manual.includes(one.linkId))
  const options = own.map(({ bankAccountId, name }) => ({ value: bankAccountId, text: name }))
  return (
    <ChoiceField
      label={words.goesTo({ name: nameOf(statement) })}
      hint={
        <>
          {words.severalRows({ count: rowCount })}
          {balance !== null && ', '}
          {balance !== null && <Amount amount={balance} manner={{ locale, currency }} />}
        </>
      }
      fault={own.length === 0 ? words.noneFits({ currency }) : null}
      value={goal}
      options={[{ value: '', text: words.leaveOut }, ...options]}
      onChange={onGoal}
    />
  )
}

/** Returns an account of a file as people know it: number or name, and kind. */
export function nameOf({ statement, number, kind }: FileStatement): string {
  const isTold = kind === null || statement.includes(kind)
  return isTold ? statement || number : `${statement} (${kind})`
}

/** Returns the bank accounts that the accounts of a file went to before. */
function formerGoals(statements: readonly FileStatement[], groups: readonly UploadGroup[]): Goals {
  const former = groups.flatMap((group) => group.statements)
  const found = statements.map(({ statement, currency }) => {
    const last = former.find(
      (one) => one.upload && one.statement === statement && one.currency === currency,
    )
    return [statement, last?.upload?.bankAccountId ?? '']
  })
  return Object.fromEntries(found) as Goals
}
