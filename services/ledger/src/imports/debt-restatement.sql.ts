import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import { LastStatement } from './debt-restatement.ts'

/**
 * Returns the last valid statement of the current balance. If the journal has none, the statement
 * is the opening balance 0, for which there is no journal row. The caller must hold the lock on the
 * bank account's row.
 */
export function findLastStatement(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<LastStatement> {
  const isOwn = sql.fragment`journal.account_id = ${accountId}
      AND journal.bank_account_id = ${bankAccountId}
      AND pot = 'current' AND journal.spending_id IS NULL`
  return tx.one(sql.type(LastStatement)`
    WITH last AS MATERIALIZED (
      SELECT entry_id, operation_id, cause, cause_id, amount, balances_as_of,
        coalesce(format = 'ofx' AND owed_is_negative IS NOT TRUE, false) AS is_former
      FROM journal LEFT JOIN uploads ON uploads.account_id = journal.account_id
        AND uploads.bank_account_id = journal.bank_account_id AND transaction_upload_id = cause_id
      WHERE ${isOwn}
        AND (cause IN ('opening', 'sync', 'manual-edit') OR cause = 'upload' AND undone_at IS NULL)
      ORDER BY entry_id DESC LIMIT 1
    )
    SELECT coalesce(cause, 'opening') AS cause,
      coalesce(cause_id, account.bank_account_id) AS "causeId",
      coalesce(amount, 0) AS amount, coalesce(is_former, false) AS "isFormerFile",
      EXISTS (
        SELECT FROM journal WHERE account_id = ${accountId} AND operation_id = last.operation_id
          AND pot = 'limit' AND journal.cause = 'upload'
      ) AS "hasLimit",
      CASE WHEN is_former THEN (
        SELECT coalesce(sum(delta), 0)::bigint
        FROM journal LEFT JOIN transactions ON transactions.account_id = journal.account_id
          AND transactions.bank_account_id = journal.bank_account_id
          AND transaction_id = journal.cause_id
        WHERE ${isOwn} AND entry_id < last.entry_id
          AND journal.cause IN ('transaction', 'deletion')
          AND coalesce(transactions.date, journal.date) > last.balances_as_of
      ) ELSE 0 END AS later,
      (
        SELECT coalesce(sum(delta), 0)::bigint FROM journal
        WHERE ${isOwn} AND journal.cause = 'restated' AND entry_id > coalesce(last.entry_id, 0)
      ) AS restated,
      account.current_balance AS current, account.account_type = 'credit' AS "isCredit",
      CASE WHEN record.account_type IN ('credit', 'loan') AND feed_bank_account_id IS NULL
        THEN record.current_balance END AS said
    FROM bank_accounts AS account LEFT JOIN last ON true
      LEFT JOIN provider_accounts AS record
        ON record.account_id = account.account_id
        AND record.bank_account_id = account.bank_account_id
        AND record.currency = account.currency
    WHERE account.account_id = ${accountId} AND account.bank_account_id = ${bankAccountId}`)
}

const Key = z.object({ accountId: z.string(), bankAccountId: z.string() })

/**
 * until 0.5: lists bank accounts whose debt a former version may have stored as positive, in key
 * order after a given key. They have unchecked OFX files, corrections from undone files, or a
 * balance whose sign contradicts the aggregator's.
 */
export function listSuspects(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  limit: number,
): Promise<readonly BankAccountKey[]> {
  return pool.any(sql.type(Key)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId"
    FROM (
      SELECT account_id, bank_account_id FROM uploads
      WHERE owed_is_negative IS NULL AND format = 'ofx' AND status = 'complete'
      UNION
      SELECT journal.account_id, journal.bank_account_id
      FROM journal JOIN uploads ON uploads.account_id = journal.account_id
        AND uploads.bank_account_id = journal.bank_account_id AND transaction_upload_id = cause_id
      WHERE cause = 'restated' AND undone_at IS NOT NULL
      UNION
      SELECT record.account_id, record.bank_account_id
      FROM provider_accounts AS record JOIN bank_accounts USING (account_id, bank_account_id)
      WHERE record.account_type IN ('credit', 'loan') AND feed_bank_account_id IS NULL
        AND record.current_balance <> 0
        AND bank_accounts.current_balance <> -record.current_balance
    ) AS suspects JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE removed_at IS NULL AND (account_id, bank_account_id) > (${accountId}, ${bankAccountId})
    ORDER BY account_id, bank_account_id LIMIT ${limit}`)
}

/** Marks the OFX files that former versions imported into a bank account as checked. */
export async function markLookedAt(
  tx: Tx,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE uploads SET owed_is_negative = false
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND owed_is_negative IS NULL AND format = 'ofx' AND status = 'complete'`)
}
