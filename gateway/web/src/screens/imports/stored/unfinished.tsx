import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Import, importsQuery } from '../../../api/import-queries.ts'
import rows from '../../../controls/rows.module.css'
import { Card } from '../../../controls/screen.tsx'
import { formatInstant } from '../../../format/days.ts'
import { useReader } from '../../../shell/chosen-account.ts'
import { useAccountNames } from '../../../shell/distinct-names.ts'
import { importWords as words } from '../../../words/imports.ts'
import { isRereadable } from '../back-to-columns.tsx'

/** CSV files whose columns or preview wait for a person, newest first; nothing without any. */
export function Unfinished({ bankAccountIds }: { bankAccountIds: string[] }) {
  const reader = useReader()
  const names = useAccountNames()
  const lists = useQueries({ queries: bankAccountIds.map((id) => importsQuery(id)) })
  const all = lists
    .flatMap(({ data = [] }) => data.filter(isUnfinished))
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  if (all.length === 0) return null
  return (
    <Card title={words.unfinished}>
      <p className={rows.soft}>{words.unfinishedText}</p>
      <ul className={rows.rows}>
        {all.map(({ transactionImportId, bankAccountId, file, status, createdAt }) => (
          <li key={transactionImportId} className={rows.row}>
            <div>
              <p className={rows.name}>{file?.name ?? words.file}</p>
              <p className={rows.soft}>
                {words.listed({
                  account: names.get(bankAccountId) ?? '',
                  at: formatInstant(createdAt, reader),
                })}
              </p>
            </div>
            <div className={rows.figures}>
              <p className={rows.soft}>{words.waits[status] ?? words.reading}</p>
              <Link
                to="/imports/$transactionImportId"
                params={{ transactionImportId }}
                search={{ account: bankAccountId }}
                aria-label={words.goOnWith({ name: file?.name ?? words.file })}
              >
                {words.goOn}
              </Link>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function isUnfinished(found: Import): boolean {
  const { status, file } = found
  if (file?.deletedAt) return false
  return ['mapping', 'pending-preview', 'preview'].includes(status) || isRereadable(found)
}
