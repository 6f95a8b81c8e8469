import { type FileBalances, noBalances, type SkippedRow } from '../statement.ts'
import type { CsvMapping } from './csv-mapping.ts'
import type { CsvRow } from './csv-rows.ts'

/** Collects the balances by `mapping.balance`, without instant (docs/file-formats.md#csv). */
export class CsvBalances {
  readonly #kind: CsvMapping['balance']['kind']
  #booked = 0n
  #all = 0n
  #isWhole = true
  /** The first two posted rows, and the last one. */
  #first: CsvRow | undefined
  #second: CsvRow | undefined
  #last: CsvRow | undefined

  constructor({ balance }: CsvMapping) {
    this.#kind = balance.kind
  }

  add(read: CsvRow | SkippedRow): void {
    if ('reason' in read) {
      this.#isWhole &&= read.reason === 'zero'
      return
    }
    const { amount, isPending } = read.row
    this.#all -= amount
    if (isPending) return
    this.#booked -= amount
    if (this.#first !== undefined) this.#second ??= read
    this.#first ??= read
    this.#last = read
  }

  result(): FileBalances {
    if (this.#kind === 'sum') {
      return this.#isWhole
        ? { ...noBalances, current: this.#booked, available: this.#all }
        : noBalances
    }
    const balance = this.#kind === 'field' ? (this.#latest()?.balance ?? null) : null
    return { ...noBalances, current: balance, available: balance }
  }

  /** Returns the newest row, either the first or the last of the file; undefined without rows. */
  #latest(): CsvRow | undefined {
    const [first, second, last] = [this.#first, this.#second, this.#last]
    if (first === undefined || second === undefined || last === undefined) return last
    if (first.row.date.getTime() !== last.row.date.getTime()) {
      return first.row.date > last.row.date ? first : last
    }
    // Equal days: the first row is newest if its balance is the second row's minus its own amount.
    return first.balance === (second.balance ?? 0n) - first.row.amount ? first : last
  }
}
