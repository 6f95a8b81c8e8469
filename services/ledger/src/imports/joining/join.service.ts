import { groupsOf } from '@coffer/kit/database/batch'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import type { UploadKey } from '../../book/upload-key.ts'
import { inTurns } from '../formats/rows/page-turns.service.ts'
import type { Pages } from '../formats/rows/pages.ts'
import type { FileRow } from '../formats/statement.ts'
import { listKnownIdentifiers } from '../import.sql.ts'
import type { KnownRows } from '../known/known-rows.service.ts'
import type { Upload } from '../upload.ts'
import { insertJoinedRows, listNamed, listPendingRows } from './joined-rows.sql.ts'
import {
  findBooked,
  type Joinable,
  type JoinCandidate,
  JoinSearch,
  joinsMax,
  type NamedJoin,
  type RowJoin,
  type RowPosting,
  settleJoins,
} from './row-joins.ts'

/**
 * Number of transactions that are added to a search in one event-loop turn, so that requests run in
 * between.
 */
const transactionsPerPage = 1000

/**
 * Matches the new rows, given in pages, with equal transactions. Returns the first 500 matches, and
 * the number of all.
 */
export async function findJoins(
  newRows: Iterable<readonly FileRow[]>,
  transactions: AsyncIterable<readonly Joinable[]>,
): Promise<{ joins: RowJoin[]; joinCount: number }> {
  const search = new JoinSearch()
  for await (const found of transactions) {
    for await (const page of inTurns(groupsOf(found, transactionsPerPage))) {
      search.addTransactions(page)
    }
  }
  const joins: RowJoin[] = []
  let joinCount = 0
  if (search.transactionCount === 0) return { joins, joinCount }
  for await (const page of inTurns(newRows)) search.add(page)
  for await (const page of inTurns(search.joins())) {
    joins.push(...page.slice(0, joinsMax - joins.length))
    joinCount += page.length
  }
  return { joins, joinCount }
}

/**
 * Yields the transactions that may get a join. `stored` has the identifiers of the file's rows that
 * are stored already: a transaction with one of them belongs to that row, so it is left out.
 */
export async function* withoutKnown(
  transactions: AsyncIterable<readonly JoinCandidate[]>,
  stored: ReadonlySet<string>,
): AsyncGenerator<readonly Joinable[]> {
  for await (const found of transactions) yield found.filter((one) => !isAmong(one, stored))
}

function isAmong({ identifiers }: JoinCandidate, known: ReadonlySet<string>): boolean {
  return identifiers.some((identifier) => known.has(identifier))
}

/**
 * Joins the rows that the client named to stored transactions, if row and transaction still fit
 * (`settleJoins`). Returns these joins, and the result of each named join. Rows whose join fails
 * become new transactions (docs/files/joining.md).
 */
export async function joinNamed(
  tx: Tx,
  { joins: named, ...key }: UploadKey & Pick<Upload, 'joins'>,
  { rows, known }: { rows: Pages<FileRow>; known: KnownRows },
): Promise<{ joins: RowJoin[]; outcomes: NamedJoin[] | null }> {
  if (named === null || named.length === 0) return { joins: [], outcomes: null }
  const wanted = new Set(named.map(({ uploadIdentifier }) => uploadIdentifier))
  const stored = new Set(await listKnownIdentifiers({ pool: tx }, key, [...wanted]))
  const transactionIds = [...new Set(named.map(({ transactionId }) => transactionId))]
  const candidates = await listNamed(tx, key, transactionIds)
  const held = new Set(candidates.flatMap(({ identifiers }) => identifiers))
  const found: FileRow[] = []
  const taken = new Set<string>()
  for await (const page of inTurns(rows.pages())) {
    for (const row of known.resolve(page)) {
      if (wanted.has(row.uploadIdentifier)) found.push(row)
      if (held.has(row.uploadIdentifier)) taken.add(row.uploadIdentifier)
    }
  }
  const newRows = found.filter(
    (row) => !stored.has(row.uploadIdentifier) && !known.isStoredOtherwise(row),
  )
  const transactions = candidates.map((one) => ({ ...one, isTaken: isAmong(one, taken) }))
  const identifiers = new Set(found.map(({ uploadIdentifier }) => uploadIdentifier))
  const settled = settleJoins(named, { identifiers, newRows, transactions })
  await insertJoinedRows(tx, key, settled.joins)
  return settled
}

/**
 * Joins the posted rows of an import to pending transactions with the same identifiers from earlier
 * files. Returns these joins (docs/files/joining.md#pending-transactions).
 */
export async function joinBooked(
  tx: Tx,
  key: UploadKey,
  { rows, known }: { rows: Pages<FileRow>; known: KnownRows },
): Promise<RowPosting[]> {
  const pending = await listPendingRows(tx, key)
  const joins: RowPosting[] = []
  for await (const page of inTurns(pending.size === 0 ? [] : rows.pages())) {
    for (const row of known.resolve(page)) {
      const transaction = findBooked(row, pending)
      if (transaction) joins.push({ row, transaction, isSame: true })
    }
  }
  await insertJoinedRows(tx, key, joins)
  return joins
}
