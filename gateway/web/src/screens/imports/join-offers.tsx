import { useState } from 'react'
import type { JoinOffer, RowJoin } from '../../api/import-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { CheckField } from '../../controls/field.tsx'
import rows from '../../controls/rows.module.css'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { newestFirst, sameRows } from './stored/same-rows.ts'

interface Props {
  bankAccountId: string
  /** The account in a file of several accounts. */
  of?: string
  offers: readonly JoinOffer[]
  /** Number of all rows that may be stored already; `offers` contains only the first of them. */
  count: number
  /** Identifiers of the ticked rows. */
  ticked: ReadonlySet<string>
  onTick: (ticked: ReadonlySet<string>) => void
}

/**
 * Rows that may be stored transactions already, each with a checkbox to join it with its
 * transaction instead of storing it again.
 */
export function JoinOffers({ bankAccountId, of, offers, count, ticked, onTick }: Props) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  if (offers.length === 0) return null
  const shown = (day: string) => formatShortDay(dayOf(day, reader.timezone), reader)
  const all = offers.map(({ uploadIdentifier }) => uploadIdentifier)
  const joined = all.filter((id) => ticked.has(id)).length
  const isAll = joined === all.length
  return (
    <section aria-label={[of, words.joinTitle].filter(Boolean).join(': ')}>
      <h3>{words.joinTitle}</h3>
      <p className={rows.soft}>{words.joinText}</p>
      {count > offers.length && <p>{words.joinSome({ shown: offers.length, count })}</p>}
      {joined < count && <p>{words.perhapsTwice({ count: count - joined })}</p>}
      <CheckField
        label={words.joinAll}
        checked={isAll}
        onChange={() => onTick(new Set(isAll ? [] : all))}
      />
      <ul className={rows.rows}>
        {newestFirst(offers).map(({ uploadIdentifier: id, name, date, amount, ...stored }) => (
          <li key={id} className={rows.row}>
            <CheckField
              label={(stored.transactionIsPending ? words.joinPending : words.join)({
                row: name,
                day: shown(date),
                name: stored.transactionName,
                transactionDay: shown(stored.transactionDate),
              })}
              checked={ticked.has(id)}
              onChange={() => onTick(toggled(ticked, id))}
            />
            <Amount amount={amount} manner={manner} as="flow" />
          </li>
        ))}
      </ul>
    </section>
  )
}

function toggled(ticked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const others = new Set(ticked)
  if (!others.delete(id)) others.add(id)
  return others
}

/**
 * Returns the ticked rows. Until the user changes a tick, they are the rows with the day and text
 * of the stored transaction that they may join.
 */
export function useTicks(offers: readonly JoinOffer[]) {
  const { timezone } = useReader()
  const [made, setTicked] = useState<ReadonlySet<string> | null>(null)
  const ticked = made ?? sameRows(offers, timezone)
  return { ticked, setTicked, joins: joinsOf(offers, ticked) }
}

/** Returns how much the joins of ticked offers move the balance, as they post pending payments. */
export function movedBy(offers: readonly JoinOffer[], ticked: ReadonlySet<string>): number {
  return offers
    .filter(({ uploadIdentifier }) => ticked.has(uploadIdentifier))
    .reduce((sum, { balanceChange }) => sum + balanceChange, 0)
}

/** Returns the ticked offers as joins for a request. */
export function joinsOf(offers: readonly JoinOffer[], ticked: ReadonlySet<string>): RowJoin[] {
  return offers
    .filter(({ uploadIdentifier }) => ticked.has(uploadIdentifier))
    .map(({ uploadIdentifier, transactionId }) => ({ uploadIdentifier, transactionId }))
}
