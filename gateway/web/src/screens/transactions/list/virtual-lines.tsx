import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Spending } from '../../../api/budget-queries.ts'
import type { Manner } from '../../../format/currency.ts'
import { formatDay, formatDistance } from '../../../format/days.ts'
import type { Reader } from '../../../shell/chosen-account.ts'
import { transactionWords as words } from '../../../words/transactions.ts'
import type { Selection } from '../selection.ts'
import styles from '../transactions.module.css'
import type { Line } from './day-lines.ts'
import { createLineHeights } from './line-heights.ts'
import { TransactionRow } from './transaction-row.tsx'

/** Context that is the same for all lines. */
interface Manners {
  spending: Spending[]
  reader: Reader
  manner: Manner
  /** Selects or deselects a transaction. */
  toggle: Selection['toggle']
}

interface Props extends Omit<Manners, 'toggle'> {
  lines: Line[]
  selection: Selection
  /** Whether a page is loading. */
  isReading: boolean
  /** Reports first and last visible line, also after pages were loaded. */
  onSee: (first: number, last: number) => void
}

/**
 * Virtual list: only lines in view are in the DOM. A scroll renders only new lines, because the
 * virtualizer positions the others itself.
 */
export function VirtualLines({ lines, selection, isReading, onSee, ...manners }: Props) {
  // No memoization by the React compiler: the virtualizer is mutable, so results must not be
  // cached.
  'use no memo'
  const list = useRef<HTMLUListElement>(null)
  const [heights] = useState(createLineHeights)
  // Memoized: for a new function, the virtualizer would position all lines again.
  const keyAt = useCallback((at: number) => lines[at]?.key ?? at, [lines])
  const virtual = useWindowVirtualizer<HTMLLIElement>({
    count: lines.length,
    estimateSize: (at) => heights.expected(lines[at]),
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: keyAt,
    directDomUpdates: true,
    useFlushSync: false,
    // Uses the height of the ResizeObserver; reading it earlier would force a second layout.
    measureElement: (element, entry, { indexFromElement, measurementsCache }) => {
      const at = indexFromElement(element)
      const height = entry?.borderBoxSize[0]?.blockSize
      return height === undefined
        ? (measurementsCache[at]?.size ?? heights.expected(lines[at]))
        : heights.learn(lines[at], height)
    },
  })
  const shown = virtual.getVirtualItems()
  const [first = 0, last = 0] = [shown[0]?.index, shown.at(-1)?.index]
  const tell = useEffectEvent(onSee)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that was read may be short
  useEffect(() => tell(first, last), [first, last, lines, isReading])
  return (
    <ul
      ref={(node) => {
        list.current = node
        virtual.containerRef(node)
      }}
      aria-label={words.list}
      className={styles.list}
    >
      {shown.map(({ index }) => {
        const line = lines[index]
        return (
          line && (
            <ShownLine
              key={line.key}
              line={line}
              at={index}
              measure={virtual.measureElement}
              isSelected={selection.chosen?.has(line.key) ?? null}
              toggle={selection.toggle}
              {...manners}
            />
          )
        )
      })}
    </ul>
  )
}

interface ShownLineProps extends Manners {
  line: Line
  at: number
  /** Ref that observes the height of the line. */
  measure: (element: HTMLLIElement | null) => void
  isSelected: boolean | null
}

/** Memoized line: the list itself renders in most frames of a scroll. */
const ShownLine = memo(function ShownLine({ line, at, measure, reader, ...of }: ShownLineProps) {
  return (
    <li ref={measure} data-index={at} data-day={line.day} className={styles.line}>
      {line.kind === 'day' ? (
        <h2 className={styles.day}>
          {formatDay(line.day, reader)}
          <span>{distance(line.day, reader)}</span>
        </h2>
      ) : (
        <TransactionRow transaction={line.transaction} {...of} />
      )}
    </li>
  )
})

/** Returns "yesterday", "today" or "tomorrow" in the language of the app; empty for other days. */
function distance(day: string, reader: Reader): string {
  const isNear = Math.abs(Date.parse(day) - Date.parse(reader.today)) <= 86_400_000
  return isNear ? formatDistance(day, reader) : ''
}
