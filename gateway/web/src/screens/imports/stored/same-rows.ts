import type { JoinOffer } from '../../../api/import-queries.ts'
import { dayOf } from '../../../format/days.ts'
import { plainText } from '../../../format/plain-text.ts'

type Offer = Pick<
  JoinOffer,
  'uploadIdentifier' | 'date' | 'name' | 'transactionDate' | 'transactionName'
>

/**
 * Returns the identifiers of rows with the same day and text as the stored transaction that is
 * offered for each. The amounts are always equal.
 */
export function sameRows(offers: readonly Offer[], timezone: string): ReadonlySet<string> {
  const same = offers.filter(
    ({ date, name, transactionDate, transactionName }) =>
      dayOf(date, timezone) === dayOf(transactionDate, timezone) &&
      foldedOf(name) === foldedOf(transactionName),
  )
  return new Set(same.map(({ uploadIdentifier }) => uploadIdentifier))
}

/** Banks write names with and without punctuation and blanks: `Nando's`, `NANDOS`. */
function foldedOf(text: string): string {
  return plainText(text).replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** Sorts rows like lists of transactions: newest day first. */
export function newestFirst<Row extends { date: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) => Date.parse(other.date) - Date.parse(one.date))
}
