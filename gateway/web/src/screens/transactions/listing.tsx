import { useInfiniteQuery } from '@tanstack/react-query'
import { type Filters, transactionsQuery } from '../../api/transaction-queries.ts'
import { findMarkedLine, useKeys } from '../../controls/use-keys.ts'
import { useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { TransactionList } from './transaction-list.tsx'

interface Props {
  bankAccountId: string
  filters: Filters
}

/** The transactions, of which several are selected and changed as one. */
export function Listing({ bankAccountId, filters }: Props) {
  const selection = useSelection()
  const { data } = useInfiniteQuery(transactionsQuery(bankAccountId, filters))
  const loaded = data?.pages.flatMap(({ items }) => items) ?? []
  useKeys((key) => {
    const line = findMarkedLine()?.dataset.line
    const marked = loaded.find((one) => one.transactionId === line)
    if (key !== 'x' || marked === undefined) return false
    selection.toggle(marked)
    return true
  })
  return (
    <>
      {(loaded.length > 0 || selection.chosen !== null) && (
        <SelectionBar
          bankAccountId={bankAccountId}
          selection={selection}
          loaded={loaded}
          areDeleted={filters.deleted === true}
        />
      )}
      <TransactionList bankAccountId={bankAccountId} filters={filters} selection={selection} />
    </>
  )
}
