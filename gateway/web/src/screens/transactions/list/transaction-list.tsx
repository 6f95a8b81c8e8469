import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { spendingQuery } from '../../../api/budget-queries.ts'
import { faultOf } from '../../../api/faults.ts'
import { useTransactionPages } from '../../../api/lists/transaction-pages.ts'
import type { Filters } from '../../../api/transaction-queries.ts'
import { FaultBanner } from '../../../controls/form.tsx'
import rows from '../../../controls/rows.module.css'
import { Empty, Skeleton } from '../../../controls/screen.tsx'
import { useIsManual, useManner, useReader } from '../../../shell/chosen-account.ts'
import { transactionWords as words } from '../../../words/transactions.ts'
import type { Selection } from '../selection.ts'
import styles from '../transactions.module.css'
import { linesOf } from './day-lines.ts'
import { VirtualLines } from './virtual-lines.tsx'

interface Props {
  bankAccountId: string
  filters: Filters
  selection: Selection
}

const noSpending: never[] = []
/** Number of lines before the end of the loaded ones at which the next page is requested. */
const nearEnd = 40

/** The transactions by day, with infinite scrolling. */
export function TransactionList({ bankAccountId, filters, selection }: Props) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { data: spending = noSpending } = useQuery(spendingQuery(bankAccountId))
  const { pages, see, leave, more, ...list } = useTransactionPages(bankAccountId, filters)
  const forget = useEffectEvent(leave)
  useEffect(() => () => forget(), [])
  const fault = faultOf(list.error)
  if (fault && pages === undefined) return <FaultBanner fault={fault} again={list.again} />
  if (pages === undefined) return <Skeleton lines={12} />
  const items = pages.map((page) => page.items)
  const lines = linesOf(items, reader.timezone)
  if (lines.length === 0) return <Nothing bankAccountId={bankAccountId} filters={filters} />
  const moreFault = faultOf(list.moreError)
  const look = (first: number, last: number) => {
    see({ from: lines[first]?.page ?? 0, to: lines[last]?.page ?? 0 })
    if (last >= lines.length - nearEnd && !moreFault) more()
  }
  return (
    <>
      <VirtualLines
        lines={lines}
        spending={spending}
        reader={reader}
        manner={manner}
        selection={selection}
        isReading={list.isReading}
        onSee={look}
      />
      {moreFault ? (
        <FaultBanner fault={moreFault} again={more} />
      ) : (
        <p className={styles.soft} role="status">
          {list.hasMore ? words.more : words.end}
        </p>
      )}
    </>
  )
}

/** Empty state: says how transactions are added. */
function Nothing({ bankAccountId, filters }: Omit<Props, 'selection'>) {
  const isManual = useIsManual(bankAccountId)
  const isFiltered = Object.values(filters).some((one) => one !== undefined)
  if (isFiltered) return <Empty>{words.noneFound}</Empty>
  if (!isManual) return <Empty>{words.noneOfBank}</Empty>
  const action = (
    <Link to="/imports" className={rows.action}>
      {words.toImports}
    </Link>
  )
  return <Empty action={action}>{words.none}</Empty>
}
