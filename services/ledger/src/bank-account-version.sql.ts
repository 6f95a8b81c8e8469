import type { Database } from '@coffer/kit/database'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

/** A bank account, named with the account it belongs to. */
export interface BankAccountKey {
  accountId: string
  bankAccountId: string
}

/**
 * The version of a bank account (`owner` in the statement) and of the envelopes and transactions
 * under it: their rows change only together with its own.
 */
export const ownerVersion = sql.fragment`owner.version::text`

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

const Current = z.object({ isCurrent: z.boolean() })

const currentStatement = prepare(
  ['accountId', 'bankAccountId', 'knownVersion'],
  ({ accountId, bankAccountId, knownVersion }) => sql.type(Current)`
    SELECT ${ownerVersion} = ${knownVersion} AS "isCurrent" FROM bank_accounts AS owner
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND removed_at IS NULL`,
)

/** Whether nothing has changed in a bank account since this was its version. */
export async function isCurrent(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  knownVersion: string,
): Promise<boolean> {
  const key = { accountId, bankAccountId, knownVersion }
  return (await pool.maybeOne(currentStatement(key)))?.isCurrent ?? false
}
