import { magnitudeOf } from '../../../book/money.ts'
import { namesTotal } from '../balance-words.ts'
import type { CsvRow } from './csv-rows.ts'

/** Money out and money in of some rows, in minor units. */
type Sums = { out: bigint; into: bigint }

/**
 * Tells lines with totals from bookings: one that is called like a total has the sum of the rows
 * above it, of all or since the last total, to the cent.
 */
export class CsvTotals {
  readonly #all: Sums = { out: 0n, into: 0n }
  #part: Sums = { out: 0n, into: 0n }
  #balance: bigint | null = null

  /** Returns whether a row is a total; counts it if it is none. */
  isTotal({ row, balance }: CsvRow, cells: readonly string[]): boolean {
    // A booking moves the balance; a total may repeat it.
    const isMoved = balance !== null && balance !== this.#balance
    if (!isMoved && cells.some(namesTotal) && this.#isSum(magnitudeOf(row.amount))) {
      this.#part = { out: 0n, into: 0n }
      return true
    }
    for (const sums of [this.#all, this.#part]) {
      if (row.amount > 0n) sums.out += row.amount
      else sums.into -= row.amount
    }
    this.#balance = balance
    return false
  }

  #isSum(size: bigint): boolean {
    return [this.#all, this.#part].some(({ out, into }) =>
      [out, into, magnitudeOf(out - into)].includes(size),
    )
  }
}
