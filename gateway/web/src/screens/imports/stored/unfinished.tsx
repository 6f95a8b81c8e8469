import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { coffer } from '../../../api/client.ts'
import { type Import, importsQuery } from '../../../api/import-queries.ts'
import { Button } from '../../../controls/button.tsx'
import { Confirmation } from '../../../controls/confirmation.tsx'
import rows from '../../../controls/rows.module.css'
import { Card } from '../../../controls/screen.tsx'
import { formatInstant } from '../../../format/days.ts'
import { useReader } from '../../../shell/chosen-account.ts'
import { useAccountNames } from '../../../shell/distinct-names.ts'
import { importWords as words } from '../../../words/imports.ts'
import { isRereadable } from '../back-to-columns.tsx'
import styles from '../imports.module.css'

/** CSV imports that need the user to map columns or confirm the preview, newest first. */
export function Unfinished({ bankAccountIds }: { bankAccountIds: string[] }) {
  const lists = useQueries({ queries: bankAccountIds.map((id) => importsQuery(id)) })
  const all = lists
    .flatMap(({ data = [] }) => data.filter(isUnfinished))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  if (all.length === 0) return null
  return (
    <Card title={words.unfinished}>
      <p className={rows.soft}>{words.unfinishedText}</p>
      <ul className={rows.rows}>
        {all.map((one) => (
          <UnfinishedRow key={one.transactionImportId} found={one} />
        ))}
      </ul>
    </Card>
  )
}

function UnfinishedRow({ found }: { found: Import }) {
  const reader = useReader()
  const names = useAccountNames()
  const [isAsked, setAsked] = useState(false)
  const { transactionImportId, bankAccountId, file, status, createdAt } = found
  const name = file?.name ?? words.file
  const path = { bankAccountId, transactionImportId }
  return (
    <li className={rows.row}>
      <div>
        <p className={rows.name}>{name}</p>
        <p className={rows.soft}>
          {words.listed({
            account: names.get(bankAccountId) ?? '',
            at: formatInstant(createdAt, reader),
          })}
        </p>
      </div>
      <div className={rows.figures}>
        <p className={rows.soft}>{words.waits[status] ?? words.reading}</p>
        <div className={styles.flush}>
          <Link
            to="/imports/$transactionImportId"
            params={{ transactionImportId }}
            search={{ account: bankAccountId }}
            aria-label={words.goOnWith({ name })}
          >
            {words.goOn}
          </Link>{' '}
          {status !== 'pending-preview' && (
            <Button
              kind="quiet"
              aria-label={words.discardIt({ name })}
              onClick={() => setAsked(true)}
            >
              {words.discard}
            </Button>
          )}
        </div>
      </div>
      {isAsked && (
        <Confirmation
          title={words.discardTitle({ name })}
          action={words.discard}
          change={() => coffer.deleteImport({ path })}
          onClose={() => setAsked(false)}
        >
          {words.discardText}
        </Confirmation>
      )}
    </li>
  )
}

function isUnfinished(found: Import): boolean {
  const { status, file } = found
  if (file?.deletedAt) return false
  return ['mapping', 'pending-preview', 'preview'].includes(status) || isRereadable(found)
}
