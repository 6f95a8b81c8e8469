import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import type { BankAccountKey } from '../accounts/bank-account.ts'
import { BankAccount } from '../accounts/bank-account.ts'
import { Envelope } from './envelope.ts'

// Keys of many accounts: the LIMIT in each lateral join is an optimization fence, so that every row
// is an index search.

const keyNames = ['accountIds', 'bankAccountIds'] as const

const bankAccountsByKey = prepare(
  keyNames,
  ({ accountIds, bankAccountIds }) => sql.type(BankAccount)`
    SELECT ${columnsOf(BankAccount, { table: 'found' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT * FROM bank_accounts AS owner
      WHERE owner.account_id = wanted.account_id
        AND owner.bank_account_id = wanted.bank_account_id AND removed_at IS NULL
      LIMIT 1
    ) AS found`,
)

const openEnvelopes = prepare(
  keyNames,
  ({ accountIds, bankAccountIds }) => sql.type(Envelope)`
    SELECT ${columnsOf(Envelope, { table: 'found' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT * FROM envelopes AS held
      WHERE held.account_id = wanted.account_id
        AND held.bank_account_id = wanted.bank_account_id AND closed_at IS NULL
      ORDER BY spending_id OFFSET 0
    ) AS found`,
)

/** Bank accounts of live links, archived or not, with their open envelopes. */
export async function lookUpScheduled(
  { pool }: Database,
  keys: readonly BankAccountKey[],
): Promise<{ bankAccounts: readonly BankAccount[]; envelopes: readonly Envelope[] }> {
  return {
    bankAccounts: await pool.any(bankAccountsByKey(keysOf(keys))),
    envelopes: await pool.any(openEnvelopes(keysOf(keys))),
  }
}

function keysOf(keys: readonly BankAccountKey[]) {
  return {
    accountIds: keys.map(({ accountId }) => accountId),
    bankAccountIds: keys.map(({ bankAccountId }) => bankAccountId),
  }
}
