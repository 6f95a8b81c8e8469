import type { Database } from '@coffer/kit/database/database'
import { isAfter, parametersOf } from '@coffer/kit/database/rows'
import { type ListSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { WrappedKey } from './key-encryption.ts'

const Table = z.object({ table: z.string() })
const KeyId = z.object({ keyId: z.string() })
const Wrapped = z.object({
  keyId: z.string(),
  bytes: z.instanceof(Buffer),
  place: z.array(z.string()),
})

/** Rows of a table after one primary key, up to and including another. */
export interface KeyRange {
  table: string
  key: ListSqlToken
  /** Primary key of the row before the range, as texts; empty for the start of the table. */
  after: readonly string[]
  upTo: readonly string[]
}

/** Lists the tables with encrypted secrets, by the names of their columns in the database. */
export function findSealedTables({ pool }: Database): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Table)`
    SELECT relname::text AS "table" FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND 3 = (
      SELECT count(*) FROM pg_attribute
      WHERE attrelid = pg_class.oid AND attname IN ('key_id', 'data_key', 'ciphertext')
        AND NOT attisdropped)
    ORDER BY relname`)
}

/** Returns the key ID of any secret in a table; null for an empty table. */
export function findKeyIdInUse({ pool }: Database, table: string): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(KeyId)`
    SELECT key_id AS "keyId" FROM ${sql.identifier([table])} LIMIT 1`)
}

/**
 * Lists data keys in primary-key order, after the row `after`; `place` is the row's primary key as
 * texts.
 */
export function listDataKeys(
  { pool }: Database,
  { table, key, after }: Omit<KeyRange, 'upTo'>,
  limit: number,
): Promise<readonly z.infer<typeof Wrapped>[]> {
  const texts = key.members.map((column) => sql.fragment`${column}::text`)
  return pool.any(sql.type(Wrapped)`
    SELECT key_id AS "keyId", data_key AS bytes,
      ARRAY[${sql.join(texts, sql.fragment`, `)}] AS place
    FROM ${sql.identifier([table])} WHERE ${isAfter(key, after)} ORDER BY ${key} LIMIT ${limit}`)
}

/** Replaces an encrypted data key in the rows of a range that have it; returns their number. */
export async function replaceDataKey(
  { pool }: Database,
  { table, key, after, upTo }: KeyRange,
  { before, next }: { before: WrappedKey; next: WrappedKey },
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE ${sql.identifier([table])}
    SET key_id = ${next.keyId}, data_key = ${sql.binary(next.bytes)}
    WHERE ${isAfter(key, after)} AND (${key}) <= (${parametersOf(upTo)})
      AND key_id = ${before.keyId} AND data_key = ${sql.binary(before.bytes)}`)
  return rowCount
}
