import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf, insertOf, versionOfRows } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { Envelope } from './envelope.ts'

/** What others are told of an open envelope. */
const OpenEnvelope = Envelope.omit({ periodSpent: true, openedAt: true, closedAt: true })
type OpenEnvelope = z.infer<typeof OpenEnvelope>

const listVersion = { listVersion: z.string() }
const Row = z.union([
  z.object({ ...OpenEnvelope.shape, ...listVersion }),
  z.object({ spendingId: z.null(), ...listVersion }),
])

// The bank account stands in every row, so that one without envelopes is told from none.
const openEnvelopes = prepare(
  ['accountId', 'bankAccountId', 'isAll', 'spendingIds', 'knownVersion'],
  ({ accountId, bankAccountId, isAll, spendingIds, knownVersion }) => sql.type(Row)`
    WITH open AS MATERIALIZED (
      SELECT *, spending_id || ' ' || xmin AS row_version FROM envelopes
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND closed_at IS NULL
        AND (${isAll}::boolean OR spending_id = ANY(${spendingIds}::text[]))
      ORDER BY spending_id
    ), state AS MATERIALIZED (${versionOfRows('open')})
    SELECT ${columnsOf(OpenEnvelope, { table: 'open' })}, state.version AS "listVersion"
    FROM bank_accounts AS owner CROSS JOIN state
    LEFT JOIN open ON state.version IS DISTINCT FROM ${knownVersion}::text
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL
    ORDER BY open.spending_id`,
)

/** Open envelopes, and what tells whether they changed; null: they are what is known. */
export interface VersionedEnvelopes {
  envelopes: readonly OpenEnvelope[] | null
  version: string
}

/**
 * Open envelopes of a bank account by ID, all or those named; null where there is no such bank
 * account.
 */
export async function listEnvelopes(
  { pool }: Database,
  accountId: string,
  {
    bankAccountId,
    spendingIds,
    knownVersion,
  }: { bankAccountId: string; spendingIds: readonly string[]; knownVersion: string | null },
): Promise<VersionedEnvelopes | null> {
  const isAll = spendingIds.length === 0
  const wanted = { bankAccountId, isAll, spendingIds, knownVersion }
  const rows = await pool.any(openEnvelopes({ ...wanted, accountId }))
  const [first] = rows
  if (!first) return null
  const { listVersion: version } = first
  if (version === knownVersion) return { envelopes: null, version }
  return { envelopes: rows.filter((row) => row.spendingId !== null), version }
}

/** Stores a new envelope; does nothing where one of that ID is there already. */
export async function insertEnvelope(tx: Tx, envelope: Envelope): Promise<void> {
  await tx.query(sql.unsafe`
    ${insertOf('envelopes', Envelope, envelope)} ON CONFLICT DO NOTHING`)
}
