import { say } from '@coffer/kit/reasons/reasons'
import { isExact } from '@coffer/kit/values/money'
import { type FileBalances, noBalances, type SkippedRow, type Unreadable } from '../statement.ts'
import type { CsvMapping } from './csv-mapping.ts'
import type { CsvRow } from './csv-rows.ts'

/** Collects the balances by `mapping.balance`, without instant (docs/file-formats.md#csv). */
export class CsvBalances {
  readonly #kind: CsvMapping['balance']['kind']
  #booked = 0n
  #all = 0n
  #isWhole = true
  /** The first and the last posted row. */
  #first: CsvRow | undefined
  #last: CsvRow | undefined
  /**
   * Number of posted rows whose balance follows from the row before, or the row behind: by the
   * amount, or against it.
   */
  readonly #oldestFirst = { by: 0, against: 0 }
  readonly #newestFirst = { by: 0, against: 0 }

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
    this.#countOrder(read)
    this.#first ??= read
    this.#last = read
  }

  #countOrder({ balance, row }: CsvRow): void {
    const before = this.#last
    if (before === undefined || before.balance === null || balance === null) return
    const moved = before.balance - balance
    if (moved === row.amount) this.#oldestFirst.by += 1
    if (moved === -row.amount) this.#oldestFirst.against += 1
    if (moved === -before.row.amount) this.#newestFirst.by += 1
    if (moved === before.row.amount) this.#newestFirst.against += 1
  }

  /**
   * Returns why the balances cannot be used: more rows move them against their amount than by it,
   * since the signs are the wrong ones or not all is in the amounts; or their sum is no amount.
   */
  fault(): Unreadable | null {
    const count = this.#most('against')
    if (count > this.#most('by')) return { unreadable: say('BALANCES_CONTRADICT', { count }) }
    const { current, available } = this.result()
    const isAmount = isExact(current ?? 0n) && isExact(available ?? 0n)
    return isAmount ? null : { unreadable: say('BALANCE_SUM_RANGE') }
  }

  /** Returns the number of rows whose balance follows from their amount. */
  countBy(): number {
    return this.#most('by')
  }

  #most(of: 'by' | 'against'): number {
    return Math.max(this.#oldestFirst[of], this.#newestFirst[of])
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
    const [first, last] = [this.#first, this.#last]
    if (first === undefined || last === undefined) return last
    if (first.row.date.getTime() !== last.row.date.getTime()) {
      return first.row.date > last.row.date ? first : last
    }
    // Equal days. A purchase and its refund fit both orders, so all rows count.
    const { by } = this.#newestFirst
    return by > 0 && by >= this.#oldestFirst.by ? first : last
  }
}
