import { magnitudeOf } from '../../../book/money.ts'
import { namesTotal } from '../balance-words.ts'
import type { CsvRow } from './csv-rows.ts'

/** Money out and money in of some rows, in minor units. */
type Sums = { out: bigint; into: bigint }

/**
 * Detects lines of totals: they have a word for a total, and their amount is exactly the sum of all
 * rows above, or of the rows since the last total.
 */
export class CsvTotals {
  readonly #all: Sums = { out: 0n, into: 0n }
  #part: Sums = { out: 0n, into: 0n }
  #balance: bigint | null = null

  /** Returns whether a row is a total; adds any other row to the sums. */
  isTotal({ row, balance }: CsvRow, cells: readonly string[]): boolean {
    // A row with another balance than the row before is a booking, because a total moves no money.
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
