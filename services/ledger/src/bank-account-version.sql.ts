import { type FragmentSqlToken, sql } from 'slonik'

/** A bank account, named with the account it belongs to. */
export interface BankAccountKey {
  accountId: string
  bankAccountId: string
}

/** As `nextVersion` has it, by the clock of the database. */
export const raisedVersion = sql.fragment`greatest(bank_accounts.version + 1,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)`

/**
 * The UPDATE that gives a bank account a new version, for statements that change what is under it
 * and nothing of its own.
 */
export function renewal({ accountId, bankAccountId }: BankAccountKey): FragmentSqlToken {
  return sql.fragment`UPDATE bank_accounts SET version = ${raisedVersion}
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
}
