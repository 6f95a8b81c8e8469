import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { refused } from '../rpc/errors.ts'
import type { Database, Transaction } from './database.ts'

/** How many rows of a kind an account, or a part of it, may have (docs/limits.md). */
export interface Bound {
  /** What is counted and whose: the name of the lock. */
  scope: string
  /** SELECT of the rows that count, found by an index that begins with the account. */
  rows: FragmentSqlToken
  max: number
  /** What a client is told that asks for more: the bound, and what to do. */
  refusal: string
}

const Counted = z.object({ count: z.bigint() })

/**
 * Refuses what the transaction has inserted where that is more than the bound: 400. Until it ends,
 * others that have inserted under the same scope wait, and then count its rows too.
 */
export async function requireWithin(tx: Transaction, bound: Bound): Promise<void> {
  await lockBound(tx, bound)
  if ((await countOf(tx, bound.rows)) > bound.max) throw refused(bound.refusal)
}

/** Has others wait that create rows under the same scope, until the transaction ends. */
export async function lockBound(tx: Transaction, { scope }: Bound): Promise<void> {
  await tx.query(sql.unsafe`SELECT pg_advisory_xact_lock(hashtextextended(${scope}, 0))`)
}

/**
 * Refuses early what would be refused after the insert as things are: before much is read or sent.
 * Others may come in between, so `requireWithin` has the last word.
 */
export async function requireRoom(
  { pool }: Pick<Database, 'pool'>,
  { rows, max, refusal }: Bound,
): Promise<void> {
  if ((await countOf(pool, rows)) >= max) throw refused(refusal)
}

function countOf(connection: CommonQueryMethods, rows: FragmentSqlToken): Promise<bigint> {
  return connection.oneFirst(sql.type(Counted)`
    SELECT count(*) AS count FROM (${rows}) AS counted`)
}
