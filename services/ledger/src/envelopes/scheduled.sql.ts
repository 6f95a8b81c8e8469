import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { inScope } from '@coffer/kit/database/guarded-read'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from '../book/bank-account.ts'
import { Envelope } from '../book/envelope.ts'

const keyNames = ['accountIds', 'bankAccountIds'] as const

const bankAccountsByKey = prepare(keyNames, (keys) => {
  const rows = sql.fragment`
      SELECT * FROM bank_accounts AS one WHERE ${inScope} AND removed_at IS NULL LIMIT 1`
  return sql.type(BankAccount)`
    SELECT ${columnsOf(BankAccount, { table: 'found' })} FROM ${rowsOfEach(keys, rows)}`
})

const openEnvelopes = prepare(keyNames, (keys) => {
  const rows = sql.fragment`
      SELECT * FROM envelopes AS one WHERE ${inScope} AND closed_at IS NULL
      ORDER BY spending_id OFFSET 0`
  return sql.type(Envelope)`
    SELECT ${columnsOf(Envelope, { table: 'found' })} FROM ${rowsOfEach(keys, rows)}`
})

/**
 * Returns SQL for FROM: for each key (`scope`), the rows that the subquery `rows` selects. The
 * subquery needs a LIMIT or OFFSET, so that Postgres searches an index for each key.
 */
function rowsOfEach(
  { accountIds, bankAccountIds }: Record<(typeof keyNames)[number], string>,
  rows: FragmentSqlToken,
): FragmentSqlToken {
  return sql.fragment`
    unnest(${accountIds}::text[], ${bankAccountIds}::text[]) AS scope (account_id, bank_account_id)
    CROSS JOIN LATERAL (${rows}) AS found`
}

/** Reads bank accounts (archived ones too, but not of deleted links) and their open envelopes. */
export async function lookUpScheduled(
  { pool }: Database,
  keys: readonly BankAccountKey[],
): Promise<{ bankAccounts: readonly BankAccount[]; envelopes: readonly Envelope[] }> {
  return {
    bankAccounts: await pool.any(bankAccountsByKey(keysOf(keys))),
    envelopes: await pool.any(openEnvelopes(keysOf(keys))),
  }
}

const Key = z.object({ accountId: z.string(), bankAccountId: z.string() })

/** Lists bank accounts with open envelopes, in key order, after the key `after` (null: all). */
export function listWithEnvelopes(
  { pool }: Database,
  { after, limit }: { after: BankAccountKey | null; limit: number },
): Promise<readonly BankAccountKey[]> {
  const { accountId, bankAccountId } = after ?? { accountId: '', bankAccountId: '' }
  return pool.any(sql.type(Key)`
    SELECT DISTINCT account_id AS "accountId", bank_account_id AS "bankAccountId" FROM envelopes
    WHERE closed_at IS NULL AND (account_id, bank_account_id) > (${accountId}, ${bankAccountId})
    ORDER BY account_id, bank_account_id LIMIT ${limit}`)
}

function keysOf(keys: readonly BankAccountKey[]) {
  return {
    accountIds: keys.map(({ accountId }) => accountId),
    bankAccountIds: keys.map(({ bankAccountId }) => bankAccountId),
  }
}
