import { Link } from '@tanstack/react-router'
import { type RefObject, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Import } from '../../api/import-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { transactionWords } from '../../words/transactions.ts'
import { BackToColumns } from './back-to-columns.tsx'
import type { Draft } from './column-guess.ts'
import styles from './imports.module.css'
import { JoinOffers, joinsOf } from './join-offers.tsx'
import { SkippedRows } from './skipped-rows.tsx'

/** The first rows of a file as transactions, and what is left out and why. */
export function ImportPreview({ found, draft }: { found: Import; draft: RefObject<Draft> }) {
  const { bankAccountId, transactionImportId, preview } = found
  const path = { bankAccountId, transactionImportId }
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const offers = preview?.joinOffers ?? []
  const { send, isSending, fault } = useChange(() => {
    const joins = joinsOf(offers, ticked)
    return coffer.updateImport({ path, body: { status: 'pending-processing', joins } })
  })
  if (preview === null) return null
  const { newCount, duplicateCount, skippedCount, skipped } = preview
  return (
    <Card title={words.previewTitle}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.counts(newCount, duplicateCount, skippedCount)}</p>
      <SkippedRows skipped={skipped} />
      <JoinOffers {...{ bankAccountId, offers, ticked }} onTick={setTicked} />
      <div className={rows.toolbar}>
        <Button kind="primary" isBusy={isSending} onClick={() => send(undefined)}>
          {words.store(newCount - ticked.size)}
        </Button>
        <BackToColumns found={found} draft={draft} />
        <Link to="/imports" search={{ account: bankAccountId }}>
          {words.again}
        </Link>
      </div>
      <PreviewRows found={found} />
    </Card>
  )
}

function PreviewRows({ found: { bankAccountId, preview } }: { found: Import }) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it sideways
    <section className={styles.scroll} tabIndex={0} aria-label={words.previewTitle}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{transactionWords.date}</th>
            <th scope="col">{transactionWords.name}</th>
            <th scope="col" className={styles.figure}>
              {transactionWords.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {preview?.rows.map((row, at) => (
            <tr
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file may be alike
              key={at}
              className={row.duplicate ? styles.known : ''}
            >
              <td>{formatShortDay(dayOf(row.date, reader.timezone), reader)}</td>
              <td>{row.name || row.originalName}</td>
              <td className={styles.figure}>
                <div className={styles.flow}>
                  <span className={styles.soft}>{effectOf(row)}</span>
                  <Amount amount={row.amount} manner={manner} as="flow" />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type PreviewRow = NonNullable<Import['preview']>['rows'][number]

/** Returns the direction of the money of a row in words; the amount is in its own column. */
function effectOf({ duplicate, amount }: PreviewRow): string {
  if (duplicate) return words.duplicate
  return amount < 0 ? words.comesIn : words.goesOut
}
