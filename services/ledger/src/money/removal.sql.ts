import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const BankAccountId = z.object({ bankAccountId: z.string() })

/** SQL of the next version: a hybrid logical clock like `nextVersion`, by the database's clock. */
const raisedVersion = sql.fragment`greatest(bank_accounts.version + 1,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)`

/** Sets `removed_at` on the bank accounts of an account, or of a link; returns their IDs. */
export function removeBankAccounts(
  tx: Tx,
  owner: { accountId: string; linkId?: string },
  now: Date,
): Promise<readonly string[]> {
  return updateAll(tx, owner, sql.fragment`removed_at = ${now.toISOString()}`)
}

/**
 * Updates all bank accounts of an account, or of one of its links, archived ones too. Their raised
 * versions make compare-and-set reject changes that were decided before. Returns their IDs.
 */
export async function updateAll(
  tx: Tx,
  { accountId, linkId }: { accountId: string; linkId?: string },
  assignments: FragmentSqlToken,
): Promise<readonly string[]> {
  const ofLink = linkId === undefined ? sql.fragment`` : sql.fragment`AND link_id = ${linkId}`
  return tx.anyFirst(sql.type(BankAccountId)`
    WITH locked AS MATERIALIZED (
      SELECT bank_account_id FROM bank_accounts
      WHERE account_id = ${accountId} ${ofLink} AND removed_at IS NULL
      ORDER BY bank_account_id FOR NO KEY UPDATE
    )
    UPDATE bank_accounts SET ${assignments}, version = ${raisedVersion}
    FROM locked
    WHERE account_id = ${accountId} AND bank_accounts.bank_account_id = locked.bank_account_id
    RETURNING bank_accounts.bank_account_id AS "bankAccountId"`)
}

/** The tables of a bank account's money with their key columns; referencing tables come first. */
const keys = [
  ['journal', 'entry_id'],
  ['operations', 'operation_id'],
  ['bulk_operations', 'operation_id'],
  ['rule_run_changes', 'transaction_id'],
  ['joined_rows', 'upload_identifier'],
  ['transactions', 'transaction_id'],
  ['envelopes', 'spending_id'],
] as const

/**
 * Deletes at most `limit` rows of each table of a removed bank account; when none are left, also
 * the bank account itself. Its files and uploads must be deleted before.
 */
export async function deleteMoney(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  limit: number,
): Promise<void> {
  const isOwn = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  for (const [table, id] of keys) {
    const name = sql.identifier([table])
    const key = sql.identifier([id])
    const { rowCount } = await pool.query(sql.unsafe`
      WITH owner AS (
        UPDATE bank_accounts SET version = ${raisedVersion}
        WHERE ${isOwn} AND removed_at IS NOT NULL RETURNING account_id, bank_account_id
      )
      DELETE FROM ${name} AS gone USING owner
      WHERE gone.account_id = owner.account_id AND gone.bank_account_id = owner.bank_account_id
        AND gone.${key} = ANY(ARRAY(SELECT ${key} FROM ${name} WHERE ${isOwn} LIMIT ${limit}))`)
    if (rowCount === limit) return
  }
  await pool.query(sql.unsafe`
    DELETE FROM bank_accounts WHERE ${isOwn} AND removed_at IS NOT NULL`)
}
