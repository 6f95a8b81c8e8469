import type { Database, Transaction } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { LinkKey } from '../connections/aggregator-link.ts'

const LoopRow = z.object({
  /**
   * Empty for the removal of a transaction whose account is unknown: it may be in any bank account.
   */
  bankAccountId: z.string(),
  providerTransactionId: z.string(),
})

/** A transaction that the running loop (loop.ts) has added or removed. */
export type LoopRow = z.infer<typeof LoopRow>

/**
 * Stores the IDs of transactions that a page adds, before their import, and of those that it
 * removes. They count as withdrawn until `confirmLoopRows`, because a crash after an addition may
 * be followed by a removal that the aggregator does not list. Removals are applied at the end of
 * the loop.
 */
export async function noteLoopRows(
  tx: Transaction,
  of: LinkKey & { loopNumber: number },
  { added, removed }: { added: readonly LoopRow[]; removed: readonly LoopRow[] },
): Promise<void> {
  const before = { ...of, loopNumber: of.loopNumber - 1 }
  if (added.length > 0) await insertRows(tx, before, { rows: added, onConflict: keep })
  const never = { ...of, loopNumber: removedNumber }
  if (removed.length > 0) await insertRows(tx, never, { rows: removed, onConflict: withdraw })
}

// Loop number of a removed transaction. It is lower than the number of every loop, so the
// transaction counts as withdrawn in each of them.
const removedNumber = -2

const keep = sql.fragment`NOTHING`
const withdraw = sql.fragment`
  UPDATE SET loop_number = least(loop_items.loop_number, excluded.loop_number)`

async function insertRows(
  tx: Transaction,
  { accountId, linkId, loopNumber }: LinkKey & { loopNumber: number },
  { rows, onConflict }: { rows: readonly LoopRow[]; onConflict: FragmentSqlToken },
): Promise<void> {
  const ids = rows.map((one) => one.providerTransactionId)
  const bankAccountIds = rows.map((one) => one.bankAccountId)
  await tx.query(sql.unsafe`
    INSERT INTO loop_items (account_id, link_id, provider_transaction_id, bank_account_id,
      loop_number)
    SELECT DISTINCT ON (id) ${accountId}, ${linkId}, id, bank_account_id, ${loopNumber}::int
    FROM unnest(${sql.array(ids, 'text')}, ${sql.array(bankAccountIds, 'text')})
      AS listed (id, bank_account_id)
    ORDER BY id
    ON CONFLICT (account_id, link_id, provider_transaction_id) DO ${onConflict}`)
}

/** Marks stored transactions as listed by the running loop. */
export async function confirmLoopRows(
  tx: Transaction,
  { accountId, linkId, loopNumber }: LinkKey & { loopNumber: number },
  listed: readonly string[],
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE loop_items SET loop_number = ${loopNumber}
    WHERE account_id = ${accountId} AND link_id = ${linkId}
      AND provider_transaction_id = ANY(${sql.array(listed, 'text')})`)
}

/**
 * Lists stored transactions that neither a page of this loop since its restart nor its last page
 * (`listed`) contains: at most `limit`, by ascending ID after `after`. For an incomplete loop,
 * lists only those that a page removes, because the others may be in unreadable rows.
 */
export function listWithdrawn(
  { pool }: Database,
  { accountId, linkId }: LinkKey,
  of: {
    loopNumber: number
    isComplete: boolean
    listed: readonly string[]
    after: string
    limit: number
  },
): Promise<readonly LoopRow[]> {
  const numberMax = of.isComplete ? of.loopNumber - 1 : removedNumber
  return pool.any(sql.type(LoopRow)`
    SELECT bank_account_id AS "bankAccountId", provider_transaction_id AS "providerTransactionId"
    FROM loop_items
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND loop_number <= ${numberMax}
      AND provider_transaction_id > ${of.after}
      AND provider_transaction_id <> ALL(${sql.array(of.listed, 'text')})
    ORDER BY provider_transaction_id LIMIT ${of.limit}`)
}

/**
 * Returns whether the running loop, including its last page (`listed`), has rows of a bank account.
 */
export function isAnyListed(
  { pool }: Database,
  { accountId, linkId, loopNumber }: LinkKey & { loopNumber: number },
  { bankAccountId, listed }: { bankAccountId: string; listed: readonly string[] },
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM loop_items
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND bank_account_id = ${bankAccountId}
      AND (loop_number = ${loopNumber}
        OR provider_transaction_id = ANY(${sql.array(listed, 'text')}))`)
}

/** Returns the known IDs that neither the running loop nor its last page has added. */
export async function findUnlisted(
  { pool }: Database,
  { accountId, linkId, loopNumber }: LinkKey & { loopNumber: number },
  { known, listed }: { known: readonly string[]; listed: readonly string[] },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(LoopRow.pick({ providerTransactionId: true }))`
    SELECT id AS "providerTransactionId" FROM unnest(${sql.array(known, 'text')}) AS known (id)
    WHERE id <> ALL(${sql.array(listed, 'text')}) AND NOT EXISTS (
      SELECT FROM loop_items
      WHERE account_id = ${accountId} AND link_id = ${linkId} AND provider_transaction_id = id
        AND loop_number = ${loopNumber})`)
}

/** Deletes the stored transactions of a loop that has ended. */
export async function deleteLoopRows(
  tx: Transaction,
  { accountId, linkId }: LinkKey,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM loop_items WHERE account_id = ${accountId} AND link_id = ${linkId}`)
}
