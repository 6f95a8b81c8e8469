import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { notFound } from '@coffer/kit/rpc/errors'
import { sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from '../book/bank-account.ts'
import { isUndecided } from '../book/field-marks.sql.ts'

const columns = columnsOf(BankAccount, { table: 'bank_accounts' })

const liveBankAccounts = prepare(
  ['accountId'],
  ({ accountId }) => read(BankAccount)`
    SELECT ${columns} FROM bank_accounts
    WHERE account_id = ${accountId} AND deleted_at IS NULL AND removed_at IS NULL
    ORDER BY bank_account_id`,
)

/** Lists live bank accounts (not archived, link not deleted) of an account, ordered by ID. */
export function listBankAccounts(
  { pool }: Database,
  accountId: string,
): Promise<readonly BankAccount[]> {
  return pool.any(liveBankAccounts({ accountId }))
}

const Overview = BankAccount.extend({
  unassignedCount: z.number(),
  isUnassignedCountExact: z.boolean(),
})
/**
 * Number of newest transactions of a bank account among which an overview counts (docs/limits.md).
 */
const countedMax = 100

/**
 * Lists live bank accounts, ordered by ID, with the number of payments for which the user has yet
 * to choose an envelope. Bounded cost: only the newest transactions of each bank account are
 * counted, by an index scan.
 */
export function listOverviews(
  { pool }: Database,
  accountId: string,
): Promise<readonly z.infer<typeof Overview>[]> {
  return pool.any(sql.type(Overview)`
    SELECT ${columns}, unassigned.count AS "unassignedCount",
      unassigned.is_exact AS "isUnassignedCountExact"
    FROM bank_accounts CROSS JOIN LATERAL (
      SELECT
        count(*) FILTER (WHERE spending_id IS NULL AND amount > 0 AND ${isUndecided})::integer
          AS count,
        count(*) < ${countedMax} AS is_exact
      FROM (
        SELECT spending_id, amount, field_marks FROM transactions
        WHERE account_id = ${accountId} AND bank_account_id = bank_accounts.bank_account_id
          AND deleted_at IS NULL
        ORDER BY date DESC, transaction_id DESC LIMIT ${countedMax}
      ) AS newest
    ) AS unassigned
    WHERE account_id = ${accountId} AND deleted_at IS NULL AND removed_at IS NULL
    ORDER BY bank_account_id`)
}

/** Lists a link's bank accounts, ordered by ID, archived ones too; none if the link is deleted. */
export function listBankAccountsOfLink(
  { pool }: Database,
  accountId: string,
  linkId: string,
): Promise<readonly BankAccount[]> {
  return pool.any(read(BankAccount)`
    SELECT ${columns} FROM bank_accounts
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND removed_at IS NULL
    ORDER BY bank_account_id`)
}

const bankAccountById = prepare(
  ['accountId', 'bankAccountId'],
  ({ accountId, bankAccountId }) => read(BankAccount)`
    SELECT ${columns} FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND removed_at IS NULL`,
)

/** Returns a bank account, archived or not; throws `notFound` if missing or its link is deleted. */
export async function getBankAccount(
  { pool }: Database,
  accountId: string,
  bankAccountId: string,
): Promise<BankAccount> {
  const bankAccount = await pool.maybeOne(bankAccountById({ accountId, bankAccountId }))
  if (!bankAccount) throw notFound('bank account')
  return bankAccount
}
