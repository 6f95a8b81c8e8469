import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { foldText } from '@coffer/kit/values/fold'
import { dayMs } from '@coffer/kit/values/time'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { daysAfter } from '../../book/transaction.ts'
import type { FileRow } from '../formats/statement.ts'

/** A stored transaction that a row of a file may duplicate (docs/files/joining.md). */
export const Joinable = z.object({
  transactionId: z.string(),
  amount: z.bigint(),
  /** Midnight of the transaction's day in the account's timezone. */
  date: z.date(),
  name: z.string().nullable(),
  merchantName: z.string().nullable(),
  originalName: z.string(),
  originalMerchantName: z.string(),
  isPending: z.boolean(),
})
export type Joinable = z.infer<typeof Joinable>

/** A row of a file and the stored transaction that it duplicates. */
export type RowJoin = { row: FileRow; transaction: Joinable }

/**
 * A row of a file and the transaction that it may post. `isSame` if their identifiers are equal:
 * then the transaction also gets the amount and day of the row.
 */
export type RowPosting = {
  row: FileRow
  transaction: Pick<Joinable, 'transactionId' | 'amount' | 'isPending'>
  isSame?: boolean
}

/** A pending transaction from a file, with the identifier of its row. */
export const PendingRow = Joinable.pick({
  transactionId: true,
  amount: true,
  isPending: true,
}).extend({ uploadIdentifier: z.string() })
export type PendingRow = z.infer<typeof PendingRow>

/**
 * A transaction with the identifiers of all rows of files that belong to it: the row from which it
 * was created, and joined rows.
 */
export const JoinCandidate = Joinable.extend({ identifiers: z.array(z.string()) })
export type JoinCandidate = z.infer<typeof JoinCandidate>

/** A transaction that the client names; `isTaken` if it belongs to another row of the file. */
export type NamedTransaction = Joinable & { isTaken: boolean }

/** A join that the client names; `result` is set once the import is complete. */
export const NamedJoin = z.object({
  uploadIdentifier: z.string(),
  transactionId: z.string(),
  result: z.enum(values['NamedJoin.result']).optional(),
})
export type NamedJoin = z.infer<typeof NamedJoin>

/** Maximum number of days between a row and its transaction. */
export const joinDaysMax = 3

/** Days for which banks hold a pending transaction before they post it (docs/syncs.md#matching). */
export const heldDaysMax = 10

/** Maximum number of joins of one import: more than a person would review. */
export const joinsMax = 500

/** Returns the joins of a request. Throws `invalid` above `joinsMax`. */
export function requireJoins(
  joins: readonly Pick<NamedJoin, 'uploadIdentifier' | 'transactionId'>[],
): NamedJoin[] {
  if (joins.length > joinsMax) throw invalid({ joins: say('TOO_MANY', { max: joinsMax }) })
  return joins.map(({ uploadIdentifier, transactionId }) => ({ uploadIdentifier, transactionId }))
}

/** The first and the last day of rows, in epoch milliseconds. */
export class DaySpan {
  first = Number.POSITIVE_INFINITY
  last = Number.NEGATIVE_INFINITY

  add({ date }: FileRow): void {
    this.first = Math.min(this.first, date.getTime())
    this.last = Math.max(this.last, date.getTime())
  }
}

/** The amounts and days of rows: the bounds of the query for transactions to join. */
export class JoinSpan extends DaySpan {
  readonly amounts = new Set<bigint>()

  override add(row: FileRow): void {
    super.add(row)
    this.amounts.add(row.amount)
  }
}

/** Maximum number of transactions of one amount and day with which a row is compared. */
const comparedMax = 20

/** Number of pairs of a row and a transaction that are checked in one event-loop turn. */
const pairsPerPage = 1000

/** Distances in days to search: one more than allowed at both ends, as days may have 23 hours. */
const distances = Array.from(
  { length: heldDaysMax + joinDaysMax + 3 },
  (_, at) => at - heldDaysMax - 1,
)

/**
 * Matches rows with transactions that have the same amount, a close day (`mayBe`), and a common
 * word. All transactions must be added before the rows. Each row and each transaction is in at most
 * one join: the pair with the closest days wins, then the first row, then the first transaction.
 */
export class JoinSearch {
  transactionCount = 0
  readonly #byAmount = new Map<bigint, Map<number, Joinable[]>>()
  readonly #wordsOf = new Map<Joinable, ReadonlySet<string>>()
  /** Pairs by the days between row and transaction. */
  readonly #pairs: RowJoin[][] = Array.from({ length: heldDaysMax + 1 }, () => [])

  addTransactions(transactions: readonly Joinable[]): void {
    this.transactionCount += transactions.length
    for (const one of transactions) {
      const byDay = this.#byAmount.get(one.amount) ?? new Map<number, Joinable[]>()
      if (byDay.size === 0) this.#byAmount.set(one.amount, byDay)
      const day = dayOf(one.date)
      const equals = byDay.get(day)
      if (equals === undefined) byDay.set(day, [one])
      else equals.push(one)
    }
  }

  add(rows: readonly FileRow[]): void {
    for (const row of rows) {
      const byDay = this.#byAmount.get(row.amount)
      if (byDay === undefined) continue
      const day = dayOf(row.date)
      const near = distances.flatMap(
        (distance) => byDay.get(day + distance)?.slice(0, comparedMax) ?? [],
      )
      const words = near.length === 0 ? [] : wordsOfRow(row)
      for (const transaction of near) {
        if (!mayBe(row, transaction)) continue
        const pairs = this.#pairs[Math.abs(daysAfter(row, transaction))]
        const known = this.#wordsIn(transaction)
        if (words.some((word) => known.has(word))) pairs?.push({ row, transaction })
      }
    }
  }

  /** Yields the joins, in pages. */
  *joins(): Generator<RowJoin[]> {
    const taken = new Set<FileRow | Joinable>()
    const isFree = ({ row, transaction }: RowJoin) => {
      if (taken.has(row) || taken.has(transaction)) return false
      taken.add(row).add(transaction)
      return true
    }
    for (const pairs of this.#pairs) {
      for (let at = 0; at < pairs.length; at += pairsPerPage) {
        yield pairs.slice(at, at + pairsPerPage).filter(isFree)
      }
    }
  }

  #wordsIn(transaction: Joinable): ReadonlySet<string> {
    const words = this.#wordsOf.get(transaction) ?? wordsOfTransaction(transaction)
    this.#wordsOf.set(transaction, words)
    return words
  }
}

/**
 * Returns the result of each named join, and the joins to make: the row is new, and the transaction
 * is live, not taken, and has the same amount and a close day. Texts are not compared: the user has
 * seen both.
 */
export function settleJoins(
  named: readonly NamedJoin[],
  file: {
    /** Identifiers of rows in the file, at least of all named rows that it has. */
    identifiers: ReadonlySet<string>
    newRows: readonly FileRow[]
    transactions: readonly NamedTransaction[]
  },
): { joins: RowJoin[]; outcomes: NamedJoin[] } {
  const rowOf = new Map(file.newRows.map((row) => [row.uploadIdentifier, row]))
  const transactionOf = new Map(file.transactions.map((one) => [one.transactionId, one]))
  const taken = new Set<string>()
  const joins: RowJoin[] = []
  const outcomes = named.map(({ uploadIdentifier, transactionId }): NamedJoin => {
    const outcome = (result: NamedJoin['result']) => ({ uploadIdentifier, transactionId, result })
    const [row, transaction] = [rowOf.get(uploadIdentifier), transactionOf.get(transactionId)]
    if (!row) return outcome(file.identifiers.has(uploadIdentifier) ? 'known' : 'row')
    if (!transaction) return outcome('transaction')
    if (transaction.isTaken || taken.has(transactionId)) return outcome('taken')
    if (joins.some((one) => one.row === row)) return outcome('taken')
    if (row.amount !== transaction.amount || !mayBe(row, transaction)) return outcome('different')
    taken.add(transactionId)
    joins.push({ row, transaction })
    return outcome('joined')
  })
  return { joins, outcomes }
}

/** Returns the number of failed joins; joins of rows that were stored already do not count. */
export function countUnjoined(joins: readonly NamedJoin[]): number {
  return joins.filter(({ result }) => result !== 'joined' && result !== 'known').length
}

/**
 * Returns whether the days and states of a row and a transaction allow a join. A pending
 * transaction may be joined to a posted row up to `heldDaysMax` days later.
 */
function mayBe(row: FileRow, transaction: Joinable): boolean {
  const days = daysAfter(row, transaction)
  if (!transaction.isPending) return Math.abs(days) <= joinDaysMax
  return !row.isPending && days <= joinDaysMax && days >= -heldDaysMax
}

/** Returns the pending transaction with the identifier and direction of a posted row. */
export function findBooked(
  row: FileRow,
  pending: ReadonlyMap<string, PendingRow>,
): PendingRow | undefined {
  const own = pending.get(row.uploadIdentifier)
  const isBooked = own && !row.isPending && own.amount < 0n === row.amount < 0n
  return isBooked ? own : undefined
}

/** Returns whether the import of a join posts its transaction. */
export function isPosting({ transaction }: RowPosting): boolean {
  return transaction.isPending
}

function dayOf(date: Date): number {
  return Math.round(date.getTime() / dayMs)
}

/** Minimum length of a compared word: shorter words are mostly articles and legal forms. */
const wordLengthMin = 3

function wordsOfRow({ name, originalName, originalMerchantName }: FileRow): string[] {
  return wordsIn([name, originalName, originalMerchantName])
}

function wordsOfTransaction(transaction: Joinable): Set<string> {
  const { name, merchantName, originalName, originalMerchantName } = transaction
  return new Set(wordsIn([name, merchantName, originalName, originalMerchantName]))
}

/** Punctuation within names, which banks mostly leave out: `NANDOS`, or `COCA COLA`. */
const inNames = /['’‘ʼ´`.\-‐‑]/g

/**
 * Returns the words without accents; `ae`, `oe` and `ue` count as umlauts, as in `MUELLER`. Words
 * with punctuation are split there, and also count as one.
 */
function wordsIn(texts: readonly (string | null)[]): string[] {
  const text = texts.join(' ')
  const joined = text.replace(inNames, '')
  const words = foldText(joined === text ? text : `${text} ${joined}`).split(/[^\p{L}]+/u)
  const long = words.filter((word) => word.length >= wordLengthMin)
  return long.map((word) => word.replaceAll(/(?<=[aou])e/g, ''))
}
