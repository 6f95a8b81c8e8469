import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { spendingQuery } from '../../api/budget-queries.ts'
import { faultOf } from '../../api/faults.ts'
import { type Filters, transactionsQuery } from '../../api/transaction-queries.ts'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Empty, Skeleton } from '../../controls/screen.tsx'
import { dayOf, formatDay, formatDistance } from '../../format/days.ts'
import { useIsManual, useReader } from '../../shell/chosen-account.ts'
import { transactionWords as words } from '../../words/transactions.ts'
import { linesOf } from './day-lines.ts'
import type { Selection } from './selection.ts'
import { TransactionRow } from './transaction-row.tsx'
import styles from './transactions.module.css'

interface Props {
  bankAccountId: string
  filters: Filters
  selection: Selection
}

/** Heights in pixels before a line is measured. */
const heights = { day: 44, transaction: 56 }

/** The transactions by day. Only visible rows are in the page; scrolling loads further ones. */
export function TransactionList({ bankAccountId, filters, selection }: Props) {
  const reader = useReader()
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const query = useInfiniteQuery(transactionsQuery(bankAccountId, filters))
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query
  const all = data?.pages.flatMap(({ items }) => items) ?? []
  const lines = linesOf(all, (instant) => dayOf(instant, reader.timezone))
  const list = useRef<HTMLUListElement>(null)
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: (at) => heights[lines[at]?.kind ?? 'transaction'],
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (at) => lines[at]?.key ?? at,
  })
  const shown = virtual.getVirtualItems()
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= lines.length - 20
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage])
  const fault = faultOf(error)
  if (fault && data === undefined) return <FaultBanner fault={fault} again={() => void refetch()} />
  if (data === undefined) return <Skeleton lines={12} />
  if (lines.length === 0) return <Nothing bankAccountId={bankAccountId} filters={filters} />
  return (
    <>
      <ul
        ref={list}
        aria-label={words.list}
        className={styles.list}
        style={{ height: virtual.getTotalSize() }}
      >
        {shown.map(({ index, key, start }) => {
          const line = lines[index]
          if (line === undefined) return null
          const top = start - virtual.options.scrollMargin
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-day={line.day}
              className={styles.line}
              style={{ transform: `translateY(${top}px)` }}
            >
              {line.kind === 'day' ? (
                <h2 className={styles.day}>
                  {formatDay(line.day, reader)}
                  <span>{distance(line.day, reader)}</span>
                </h2>
              ) : (
                <TransactionRow
                  transaction={line.transaction}
                  spending={spending}
                  isSelected={selection.chosen?.has(key as string) ?? null}
                  onSelect={() => selection.toggle(line.transaction)}
                />
              )}
            </li>
          )
        })}
      </ul>
      <p className={styles.soft} role="status">
        {hasNextPage ? words.more : words.end}
      </p>
    </>
  )
}

/** An empty list: says how transactions are added. */
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

/** Returns the words for yesterday, today and tomorrow; empty for other days. */
function distance(day: string, reader: ReturnType<typeof useReader>): string {
  const isNear = Math.abs(Date.parse(day) - Date.parse(reader.today)) <= 86_400_000
  return isNear ? formatDistance(day, reader) : ''
}
