import { say } from '@coffer/kit/reasons/reasons'
import { isExact } from '@coffer/kit/values/money'
import { type FileBalances, noBalances, type SkippedRow, type Unreadable } from '../statement.ts'
import { noteUnread } from '../statement-rows.ts'
import type { CsvMapping } from './csv-mapping.ts'
import type { CsvRow } from './csv-rows.ts'

/**
 * Computes the bank account's balances from the rows, in the way that `mapping.balance` names
 * (docs/file-formats.md#csv). `asOf` is null, because a CSV file does not state when they are
 * valid.
 */
export class CsvBalances {
  readonly #kind: CsvMapping['balance']['kind']
  #booked = 0n
  #all = 0n
  #isWhole = true
  /** The last posted row with a balance, and the sum of the amounts of the later posted rows. */
  #last: CsvRow | undefined
  #between = 0n
  /** The posted rows of the latest day, and (`#day`) the day of the row that was added last. */
  #ofLatestDay: CsvRow[] = []
  #day = 0
  /** Whether dates rise, and whether they fall, from row to row; both if the rows are unsorted. */
  readonly #days = { risen: false, fallen: false }
  /**
   * Number of posted rows whose balance changes by the amount (`by`), or by the negated amount
   * (`against`), on the assumption that the oldest, or the newest, row is first in the file.
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
    this.#keepDay(read)
    this.#countOrder(read)
  }

  #keepDay(read: CsvRow): void {
    const day = read.row.date.getTime()
    const latest = this.newestDay() ?? day
    if (this.#day !== 0) {
      this.#days.risen ||= day > this.#day
      this.#days.fallen ||= day < this.#day
    }
    this.#day = day
    if (day > latest) this.#ofLatestDay = []
    if (day >= latest) this.#ofLatestDay.push(read)
  }

  /** Returns the day of the newest posted row, as the instant of its midnight; null without one. */
  newestDay(): number | null {
    return this.#ofLatestDay[0]?.row.date.getTime() ?? null
  }

  #countOrder(read: CsvRow): void {
    const { balance, row } = read
    if (balance === null) {
      this.#between += row.amount
      return
    }
    const before = this.#last
    if (before !== undefined && before.balance !== null) {
      const moved = before.balance - balance
      const here = row.amount + this.#between
      const there = before.row.amount + this.#between
      if (moved === here) this.#oldestFirst.by += 1
      if (moved === -here) this.#oldestFirst.against += 1
      if (moved === -there) this.#newestFirst.by += 1
      if (moved === there) this.#newestFirst.against += 1
    }
    this.#last = read
    this.#between = 0n
  }

  /**
   * Returns why the balances contradict the amounts: most balances change by the opposite of their
   * amount (wrong signs or incomplete amounts), or the sum is out of range. Else null.
   */
  fault(): Unreadable | null {
    const count = this.#most('against')
    if (count > this.#most('by')) return { unreadable: say('BALANCES_CONTRADICT', { count }) }
    const { current, available } = this.result()
    const isAmount = isExact(current ?? 0n) && isExact(available ?? 0n)
    return isAmount ? null : { unreadable: say('BALANCE_SUM_RANGE') }
  }

  /** Returns the number of rows whose balance changes by their amount. */
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
    if (this.#kind === 'none' || this.#ofLatestDay.length === 0) return noBalances
    const latest = this.#latest()
    if (latest === undefined) return { ...noBalances, note: say('BALANCES_UNORDERED') }
    const { balance, balanceText } = latest
    if (balance === null && balanceText === '') {
      return { ...noBalances, note: say('BALANCE_BLANK') }
    }
    const note = noteUnread([{ text: balanceText, amount: balance }])
    return { ...noBalances, current: balance, available: balance, ...note }
  }

  /**
   * Returns the row of the latest day that was booked last: no other row of the day starts from its
   * balance. If that is ambiguous, the order of rows that fits more balances of the file decides.
   * Returns undefined if both orders fit equally.
   */
  #latest(): CsvRow | undefined {
    const rows = this.#ofLatestDay
    const [first] = rows
    if (rows.every(({ balance }) => balance === first?.balance)) return first
    const ends = rows.every(({ balance }) => balance !== null) ? endsOf(rows) : []
    if (ends.length === 1) return ends[0]
    const [oldest, newest] = [this.#oldestFirst.by, this.#newestFirst.by]
    const isMixed = this.#days.risen && this.#days.fallen
    if (isMixed || oldest === newest) return undefined
    return oldest > newest ? rows.at(-1) : first
  }
}

/** Returns the rows from whose balance no other row starts: in a complete chain only the last. */
function endsOf(rows: readonly CsvRow[]): CsvRow[] {
  const starts = new Map<bigint, number>()
  for (const { balance, row } of rows) {
    const start = (balance ?? 0n) + row.amount
    starts.set(start, (starts.get(start) ?? 0) + 1)
  }
  return rows.filter(({ balance }) => {
    const count = starts.get(balance ?? 0n) ?? 0
    starts.set(balance ?? 0n, count - 1)
    return count <= 0
  })
}
