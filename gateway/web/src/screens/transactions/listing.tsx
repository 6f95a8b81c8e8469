import { useQuery } from '@tanstack/react-query'
import { transactionPagesQuery } from '../../api/lists/transaction-pages.ts'
import type { Filters } from '../../api/transaction-queries.ts'
import { findMarkedLine, useKeys } from '../../controls/use-keys.ts'
import { TransactionList } from './list/transaction-list.tsx'
import { PassedDay } from './passed-day.tsx'
import { useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import styles from './transactions.module.css'

interface Props {
  bankAccountId: string
  filters: Filters
  /** Element that contains the button "select", by a portal. */
  slot: HTMLElement | null
}

/** The transactions, with a selection of several that are changed together. */
export function Listing({ bankAccountId, filters, slot }: Props) {
  const selection = useSelection()
  const { data: pages = [] } = useQuery(transactionPagesQuery(bankAccountId, filters))
  const loaded = pages.flatMap(({ items }) => items)
  useKeys((key) => {
    const line = findMarkedLine()?.dataset.line
    if (key === 'e' && line !== undefined) {
      findMarkedLine()?.closest('li')?.querySelector<HTMLElement>('[data-rename]')?.click()
      return true
    }
    const marked = loaded.find((one) => one.transactionId === line)
    if (key !== 'x' || marked === undefined) return false
    selection.toggle(marked)
    return true
  })
  const isOn = selection.chosen !== null
  return (
    <>
      {(loaded.length > 0 || isOn) && (
        <div className={styles.sticky} data-on={isOn || undefined}>
          <SelectionBar
            bankAccountId={bankAccountId}
            selection={selection}
            loaded={loaded}
            areDeleted={filters.deleted === true}
            slot={slot}
          />
          {isOn && <PassedDay />}
        </div>
      )}
      <TransactionList bankAccountId={bankAccountId} filters={filters} selection={selection} />
    </>
  )
}
