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
import { useAccountNames } from '../../shell/distinct-names.ts'
import { importWords as words } from '../../words/imports.ts'
import { type GroupChoices, GroupPreview, nameOf } from './group-preview.tsx'
import styles from './imports.module.css'
import type { PreviewProps } from './previewed.ts'

/** Bank account IDs by account of the file; '' skips the account. */
type Goals = Record<string, string>

/** A file of several accounts: maps each to a bank account, then previews the imports. */
export function SeveralAccounts({ previewed, onEnd }: PreviewProps) {
  const { data, upload } = previewed
  const { statement: _, delimiter: __, ...choices } = previewed.choices
  const { data: groups = [] } = useQuery(uploadGroupsQuery())
  const [chosen, setChosen] = useState<Goals>({})
  const [read, setRead] = useState<{ group: UploadGroup; choices: GroupChoices } | null>(null)
  const goals = { ...formerGoals(upload.statements, groups), ...chosen }
  const mapped = upload.statements.flatMap(({ statement }) => {
    const bankAccountId = goals[statement] ?? ''
    return bankAccountId === '' ? [] : [{ statement, bankAccountId }]
  })
  const { send, isSending, fault } = useChange(async (made: GroupChoices) => {
    const query = { ...made, preview: true }
    const body = { data, statements: mapped }
    return { group: (await coffer.createUploadGroup({ body, query })).data, choices: made }
  })
  return (
    <Card title={data.name}>
      {fault && <FaultBanner fault={fault} />}
      {read ? (
        <GroupPreview
          key={JSON.stringify(read.choices)}
          {...{ data, onEnd, ...read }}
          onRead={(made) => send(made, setRead)}
          isReading={isSending}
          onBack={() => setRead(null)}
        />
      ) : (
        <Mapping
          {...{ statements: upload.statements, goals, mapped, onEnd }}
          onGoal={(statement, goal) => setChosen((now) => ({ ...now, [statement]: goal }))}
          onRead={() => send(choices, setRead)}
          isReading={isSending}
        />
      )}
    </Card>
  )
}

interface MappingProps {
  statements: readonly FileStatement[]
  goals: Goals
  mapped: readonly { bankAccountId: string }[]
  onGoal: (statement: string, bankAccountId: string) => void
  onRead: () => void
  isReading: boolean
  onEnd: () => void
}

/** The accounts of a file, each with a choice of the bank account to import it into. */
function Mapping({ statements, goals, mapped, onGoal, onRead, isReading, onEnd }: MappingProps) {
  const isTwice = new Set(mapped.map((one) => one.bankAccountId)).size < mapped.length
  return (
    <>
      <p>{words.severalText}</p>
      <ul className={rows.rows}>
        {statements.map((one) => (
          <li key={one.statement} className={styles.statement}>
            <Statement
              statement={one}
              goal={goals[one.statement] ?? ''}
              onGoal={(goal) => onGoal(one.statement, goal)}
            />
          </li>
        ))}
      </ul>
      {isTwice && <p role="alert">{words.twice}</p>}
      <div className={rows.toolbar}>
        <Button
          kind="primary"
          isBusy={isReading}
          isIdle={mapped.length === 0 || isTwice}
          onClick={onRead}
        >
          {words.previewAccounts({ count: mapped.length })}
        </Button>
        <Button onClick={onEnd}>{words.cancel}</Button>
      </div>
    </>
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
  const names = useAccountNames()
  const options = own.map(({ bankAccountId: value, name }) => ({
    value,
    text: names.get(value) ?? name,
  }))
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

/** Returns the bank accounts into which the accounts of a file were imported last. */
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
