import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf, insertOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { Envelope } from './envelope.ts'

/** What others are told of an open envelope. */
const OpenEnvelope = Envelope.omit({ periodSpent: true, openedAt: true, closedAt: true })
type OpenEnvelope = z.infer<typeof OpenEnvelope>

const Nothing = z.object({ spendingId: z.null() })
const columns = columnsOf(OpenEnvelope, { table: 'envelopes' })

// The bank account stands in every row, so that one without envelopes is told from none.
const openEnvelopes = prepare(
  ['accountId', 'bankAccountId', 'isAll', 'spendingIds'],
  ({ accountId, bankAccountId, isAll, spendingIds }) => sql.type(z.union([OpenEnvelope, Nothing]))`
    SELECT ${columns}
    FROM bank_accounts AS owner LEFT JOIN envelopes
      ON envelopes.account_id = owner.account_id
      AND envelopes.bank_account_id = owner.bank_account_id
      AND envelopes.closed_at IS NULL
      AND (${isAll}::boolean OR envelopes.spending_id = ANY(${spendingIds}::text[]))
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL
    ORDER BY envelopes.spending_id`,
)

/**
 * Open envelopes of a bank account by ID, all or those named; null where there is no such bank
 * account.
 */
export async function listEnvelopes(
  { pool }: Database,
  accountId: string,
  { bankAccountId, spendingIds }: { bankAccountId: string; spendingIds: readonly string[] },
): Promise<readonly OpenEnvelope[] | null> {
  const isAll = spendingIds.length === 0
  const rows = await pool.any(openEnvelopes({ accountId, bankAccountId, isAll, spendingIds }))
  return rows.length === 0 ? null : rows.filter((row) => row.spendingId !== null)
}

/** Stores a new envelope; does nothing where one of that ID is there already. */
export async function insertEnvelope(tx: Tx, envelope: Envelope): Promise<void> {
  await tx.query(sql.unsafe`
    ${insertOf('envelopes', Envelope, envelope)} ON CONFLICT DO NOTHING`)
}
