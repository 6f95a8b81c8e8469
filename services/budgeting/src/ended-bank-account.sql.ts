import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { notFound } from '@coffer/kit/errors'
import { sql } from 'slonik'
import { z } from 'zod'

export type EndReason = 'removed' | 'archived'

const Ended = z.object({ reason: z.string() })

/**
 * Lets a plan or schedule in, in the transaction that inserts it. Throws notFound for a bank
 * account that is removed; one that is removed meanwhile waits, and then finds the row.
 */
export async function admitPlan(tx: Tx, accountId: string, bankAccountId: string): Promise<void> {
  await tx.query(sql.unsafe`
    SELECT pg_advisory_xact_lock_shared(hashtextextended(${bankAccountId}, 0))`)
  const ended = await tx.maybeOne(sql.type(Ended)`
    SELECT reason FROM ended_bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND reason = 'removed'`)
  if (ended) {
    throw notFound('bank account')
  }
}

/** Keeps the jobs off a bank account for good; with `removed` also every new plan. */
export async function endBankAccount(
  { transaction }: Database,
  bankAccount: { accountId: string; bankAccountId: string },
  { reason, now }: { reason: EndReason; now: Date },
): Promise<void> {
  const { accountId, bankAccountId } = bankAccount
  await transaction(async (tx) => {
    await tx.query(sql.unsafe`
      SELECT pg_advisory_xact_lock(hashtextextended(${bankAccountId}, 0))`)
    await tx.query(sql.unsafe`
      INSERT INTO ended_bank_accounts (account_id, bank_account_id, reason, ended_at)
      VALUES (${accountId}, ${bankAccountId}, ${reason}, ${now.toISOString()})
      ON CONFLICT (account_id, bank_account_id) DO UPDATE SET reason = excluded.reason
      WHERE excluded.reason = 'removed'`)
  })
}
