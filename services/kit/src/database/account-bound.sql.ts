import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { refused } from '../rpc/errors.ts'
import type { Database, Queries, Transaction } from './database.ts'

/** Upper bound on the rows of one kind in an account or one of its objects (docs/limits.md). */
export interface Bound {
  /** Name of the advisory lock: the kind of the counted rows and the ID of their owner. */
  scope: string
  /** SELECT of the counted rows; it must use an index that begins with `account_id`. */
  rows: FragmentSqlToken
  max: number
  /** Error text for the client at the bound: names the bound and the remedy. */
  refusal: string
}

const Counted = z.object({ count: z.bigint() })

/**
 * Counts the rows after an insert, in its transaction. Throws refused (400) above the bound. Holds
 * an advisory lock, so that concurrent inserts cannot exceed the bound together.
 */
export async function requireWithin(tx: Transaction, bound: Bound): Promise<void> {
  await lockBound(tx, bound)
  if ((await countOf(tx, bound.rows)) > bound.max) throw refused(bound.refusal)
}

/** Takes the advisory lock of a bound until the transaction ends; other inserts wait for it. */
export async function lockBound(tx: Transaction, { scope }: Bound): Promise<void> {
  await tx.query(sql.unsafe`SELECT pg_advisory_xact_lock(hashtextextended(${scope}, 0))`)
}

/**
 * Throws refused (400) when the bound is reached, before expensive work starts. Takes no lock, so
 * the transaction of the insert still has to call `requireWithin`.
 */
export async function requireRoom(
  { pool }: Pick<Database, 'pool'>,
  { rows, max, refusal }: Bound,
): Promise<void> {
  if ((await countOf(pool, rows)) >= max) throw refused(refusal)
}

function countOf(connection: Queries, rows: FragmentSqlToken): Promise<bigint> {
  return connection.oneFirst(sql.type(Counted)`
    SELECT count(*) AS count FROM (${rows}) AS counted`)
}
