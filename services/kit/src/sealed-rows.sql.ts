import { sql } from 'slonik'
import { z } from 'zod'
import type { Database } from './database.ts'
import type { WrappedKey } from './key-encryption.ts'

const Table = z.object({ table: z.string() })
const KeyId = z.object({ keyId: z.string() })
const Blocks = z.object({ blocks: z.number() })
const Wrapped = z.object({ keyId: z.string(), bytes: z.instanceof(Buffer) })

/** A range of a table's blocks, as they lie on disk. */
export interface BlockRange {
  table: string
  from: number
  to: number
}

/** Tables of the schema that hold sealed secrets: whoever adds one need not tell. */
export function findSealedTables({ pool }: Database): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Table)`
    SELECT relname::text AS "table" FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND 3 = (
      SELECT count(*) FROM pg_attribute
      WHERE attrelid = pg_class.oid AND attname IN ('key_id', 'data_key', 'ciphertext')
        AND NOT attisdropped)
    ORDER BY relname`)
}

/** The key of some secret in the table; null where it is empty. */
export function findKeyIdInUse({ pool }: Database, table: string): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(KeyId)`
    SELECT key_id AS "keyId" FROM ${sql.identifier([table])} LIMIT 1`)
}

export function countBlocks({ pool }: Database, table: string): Promise<number> {
  return pool.oneFirst(sql.type(Blocks)`
    SELECT (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int
      AS blocks`)
}

/** The different data keys of the secrets in a range. */
export function listDataKeys(
  { pool }: Database,
  range: BlockRange,
): Promise<readonly WrappedKey[]> {
  return pool.any(sql.type(Wrapped)`
    SELECT DISTINCT key_id AS "keyId", data_key AS bytes
    FROM ${sql.identifier([range.table])} WHERE ${isIn(range)}`)
}

/** Puts a data key in the place of what it was wrapped as before; what has changed stays. */
export async function replaceDataKey(
  { pool }: Database,
  range: BlockRange,
  { before, after }: { before: WrappedKey; after: WrappedKey },
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE ${sql.identifier([range.table])}
    SET key_id = ${after.keyId}, data_key = ${sql.binary(after.bytes)}
    WHERE ${isIn(range)} AND key_id = ${before.keyId} AND data_key = ${sql.binary(before.bytes)}`)
  return rowCount
}

function isIn({ from, to }: BlockRange) {
  return sql.fragment`ctid >= ${`(${from},0)`}::tid AND ctid < ${`(${to},0)`}::tid`
}
