import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const StoredRow = z.object({
  bankAccountId: z.string(),
  amount: z.bigint(),
  /** Day and time in the person's timezone. */
  date: z.string(),
  /** '' means that of the bank account. */
  currency: z.string(),
  texts: z.array(z.string().nullable()),
  /** The provider's ID of a record, which is never shown. */
  providerId: z.string().nullable(),
})

/** A transaction, or the record of a provider's transaction, deleted ones included. */
export type StoredRow = z.infer<typeof StoredRow>

const localDate = sql.fragment`to_char(date AT TIME ZONE 'America/Chicago', 'YYYY-MM-DD HH24:MI')`

/** Lists the transactions of an account, and the provider's records of them. */
export function listStoredRows(
  { pool }: Database,
  accountId: string,
): Promise<readonly StoredRow[]> {
  return pool.any(sql.type(StoredRow)`
    SELECT bank_account_id AS "bankAccountId", amount, ${localDate} AS date, '' AS currency,
      ARRAY[name, original_name, merchant_name, original_merchant_name, category] || categories
        AS texts,
      NULL AS "providerId"
    FROM transactions WHERE account_id = ${accountId}
    UNION ALL
    SELECT bank_account_id, amount, ${localDate}, currency,
      ARRAY[name, merchant_name, category] || categories, provider_transaction_id
    FROM provider_transactions WHERE account_id = ${accountId}`)
}

const StoredAccount = z.object({
  bankAccountId: z.string(),
  current: z.bigint(),
  available: z.bigint(),
  texts: z.array(z.string().nullable()),
})

/** Lists the balances and the texts of an account's bank accounts. */
export function listStoredAccounts(
  { pool }: Database,
  accountId: string,
): Promise<readonly z.infer<typeof StoredAccount>[]> {
  return pool.any(sql.type(StoredAccount)`
    SELECT bank_account_id AS "bankAccountId", current_balance AS current,
      available_balance AS available, ARRAY[name, original_name, currency] AS texts
    FROM bank_accounts WHERE account_id = ${accountId}`)
}

const Candidate = z.object({ balance: z.bigint(), texts: z.array(z.string()) })

/** Lists the balances and the texts of the candidates of an account. */
export function listCandidates(
  { pool }: Database,
  accountId: string,
): Promise<readonly z.infer<typeof Candidate>[]> {
  return pool.any(sql.type(Candidate)`
    SELECT current_balance AS balance, ARRAY[feed_id, name, institution_name, provider, currency]
      AS texts
    FROM feed_bank_accounts WHERE account_id = ${accountId}`)
}
