import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { notFound } from '@coffer/kit/rpc/errors'
import { BankAccount } from '../book/bank-account.ts'

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
