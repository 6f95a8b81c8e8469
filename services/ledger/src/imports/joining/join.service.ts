import type { Transaction as Tx } from '@coffer/kit/database/database'
import type { UploadKey } from '../../book/upload-key.ts'
import type { FileRow } from '../formats/statement.ts'
import { listKnownIdentifiers } from '../import.sql.ts'
import { findNamedJoins, insertJoinedRows, listJoinable } from './joined-rows.sql.ts'
import { keepEqual, type RowJoin } from './row-joins.ts'

/**
 * Joins those rows of an import that its user named and that still are equal to their transactions;
 * returns these joins. All others are rows like any other (docs/files/joining.md).
 */
export async function joinNamed(
  tx: Tx,
  key: UploadKey,
  { rows: unknown, format }: { rows: readonly FileRow[]; format: string },
): Promise<RowJoin[]> {
  const named = await findNamedJoins(tx, key)
  if (named.length === 0) return []
  const identifiers = named.map(({ uploadIdentifier }) => uploadIdentifier)
  const stored = new Set(await listKnownIdentifiers({ pool: tx }, key, identifiers))
  const wanted = new Set(identifiers.filter((identifier) => !stored.has(identifier)))
  const rows = unknown.filter(({ uploadIdentifier }) => wanted.has(uploadIdentifier))
  const transactions = await listJoinable(tx, key, { rows, format })
  const joins = keepEqual(named, { rows, transactions })
  await insertJoinedRows(tx, key, joins)
  return joins
}
