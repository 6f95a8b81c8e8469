import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { isCurrent, ownerVersion } from './bank-account-version.sql.ts'
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
  ['accountId', 'bankAccountId', 'isAll', 'spendingIds'],
  ({ accountId, bankAccountId, isAll, spendingIds }) => sql.type(Row)`
    SELECT ${columnsOf(OpenEnvelope, { table: 'open' })}, ${ownerVersion} AS "listVersion"
    FROM bank_accounts AS owner LEFT JOIN (
      SELECT * FROM envelopes
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND closed_at IS NULL
        AND (${isAll}::boolean OR spending_id = ANY(${spendingIds}::text[]))
    ) AS open ON true
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
 * account. Where a version is known, it is compared first: that is all there is to do mostly.
 */
export async function listEnvelopes(
  database: Database,
  accountId: string,
  {
    bankAccountId,
    spendingIds,
    knownVersion,
  }: { bankAccountId: string; spendingIds: readonly string[]; knownVersion: string | null },
): Promise<VersionedEnvelopes | null> {
  const key = { accountId, bankAccountId }
  if (knownVersion !== null && (await isCurrent(database, key, knownVersion))) {
    return { envelopes: null, version: knownVersion }
  }
  const isAll = spendingIds.length === 0
  const rows = await database.pool.any(openEnvelopes({ ...key, isAll, spendingIds }))
  const [first] = rows
  if (!first) return null
  const envelopes = rows.filter((row) => row.spendingId !== null)
  return { envelopes, version: first.listVersion }
}
