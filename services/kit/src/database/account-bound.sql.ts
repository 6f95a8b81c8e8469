import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { refused } from '../rpc/errors.ts'
import type { Database, Transaction } from './database.ts'

/** Upper bound on the rows of one kind in an account or one of its objects (docs/limits.md). */
export interface Bound {
  /** Name of the advisory lock: the kind of row and the ID of the owner of the rows. */
  scope: string
  /** SELECT of the counted rows, which uses an index that begins with the account. */
  rows: FragmentSqlToken
  max: number
  /** Text for the client that exceeds the bound. It states the bound and the remedy. */
  refusal: string
}

const Counted = z.object({ count: z.bigint() })

/**
 * Checks a bound after an insert, in the same transaction. Throws refused (400) above the bound. An
 * advisory lock makes inserts under one scope serial until the transaction ends.
 */
export async function requireWithin(tx: Transaction, bound: Bound): Promise<void> {
  await lockBound(tx, bound)
  if ((await countOf(tx, bound.rows)) > bound.max) throw refused(bound.refusal)
}

/** Takes the advisory lock of a bound: serializes inserts until the transaction ends. */
export async function lockBound(tx: Transaction, { scope }: Bound): Promise<void> {
  await tx.query(sql.unsafe`SELECT pg_advisory_xact_lock(hashtextextended(${scope}, 0))`)
}

/**
 * Checks a bound before expensive work: throws refused (400) when no row may be added. Takes no
 * lock, so concurrent inserts may still exceed the bound: `requireWithin` decides.
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
