import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { Envelope } from '../book/envelope.ts'

/** An open envelope as messages show it. */
const OpenEnvelope = Envelope.omit({
  accountId: true,
  periodFrom: true,
  periodRefunded: true,
  openedAt: true,
  closedAt: true,
})
type OpenEnvelope = z.infer<typeof OpenEnvelope>

const Row = z.union([OpenEnvelope, z.object({ spendingId: z.null() })])

// LEFT JOIN: a bank account without open envelopes gives one row of nulls, a missing one no row.
const openEnvelopes = prepare(
  ['accountId', 'bankAccountId', 'isAll', 'spendingIds'],
  ({ accountId, bankAccountId, isAll, spendingIds }) => read(Row)`
    SELECT ${columnsOf(OpenEnvelope, { table: 'open' })}
    FROM bank_accounts AS owner LEFT JOIN (
      SELECT * FROM envelopes
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND closed_at IS NULL
        AND (${isAll}::boolean OR spending_id = ANY(${spendingIds}::text[]))
    ) AS open ON true
    WHERE owner.account_id = ${accountId} AND owner.bank_account_id = ${bankAccountId}
      AND owner.removed_at IS NULL
    ORDER BY open.spending_id`,
)

/**
 * Lists open envelopes of a bank account, ordered by ID; all of them if `spendingIds` is empty.
 * Returns null if the bank account does not exist.
 */
export async function listEnvelopes(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  spendingIds: readonly string[],
): Promise<readonly OpenEnvelope[] | null> {
  const isAll = spendingIds.length === 0
  const rows = await pool.any(openEnvelopes({ accountId, bankAccountId, isAll, spendingIds }))
  return rows.length === 0 ? null : rows.filter((row) => row.spendingId !== null)
}

/**
 * Returns the envelopes with these IDs that are open, of any of these bank accounts, in any order.
 */
export function findEnvelopes(
  { pool }: Database,
  accountId: string,
  of: { bankAccountIds: readonly string[]; spendingIds: readonly string[] },
): Promise<readonly OpenEnvelope[]> {
  return pool.any(sql.type(OpenEnvelope)`
    SELECT ${columnsOf(OpenEnvelope, { table: 'envelopes' })} FROM envelopes
    JOIN bank_accounts AS owner USING (account_id, bank_account_id)
    WHERE account_id = ${accountId}
      AND bank_account_id = ANY(${sql.array([...of.bankAccountIds], 'text')})
      AND spending_id = ANY(${sql.array([...of.spendingIds], 'text')})
      AND closed_at IS NULL AND owner.removed_at IS NULL`)
}

const Overspent = z.object({ spendingId: z.string(), amount: z.bigint() })

/**
 * Returns what free-to-use paid of the payments of each open envelope since its period began, in
 * minor units, less what refunds gave back to free-to-use.
 */
export async function findOverspent(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<ReadonlyMap<string, bigint>> {
  // OFFSET 0 is an optimization fence. It keeps the comparison of the bank account away from the
  // index search, by whose index the planner would read all its transactions for each envelope.
  const rows = await pool.any(sql.type(Overspent)`
    SELECT spending_id AS "spendingId", greatest(0, sum(
      amount - coalesce(spending_amount, 0) + coalesce(refund_amount, 0)))::bigint AS amount
    FROM envelopes CROSS JOIN LATERAL (
      SELECT bank_account_id AS payer, amount, spending_amount, refund_amount
      FROM transactions AS one
      WHERE one.account_id = envelopes.account_id AND one.spending_id = envelopes.spending_id
        AND date >= period_from AND deleted_at IS NULL OFFSET 0
    ) AS payment
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND closed_at IS NULL AND payer = bank_account_id
    GROUP BY spending_id`)
  return new Map(rows.map(({ spendingId, amount }) => [spendingId, amount]))
}
