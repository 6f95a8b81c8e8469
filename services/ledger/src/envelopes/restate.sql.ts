import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { Envelope } from './envelope.ts'

/** Position in the list of all accounts' envelopes: the last one of the page before. */
export type EnvelopeCursor = Pick<Envelope, 'accountId' | 'bankAccountId' | 'spendingId'>

/** A page of the open envelopes of all accounts, in key order. */
export async function openEnvelopesAfter(
  { pool }: Database,
  { accountId, bankAccountId, spendingId }: EnvelopeCursor,
  pageSize: number,
): Promise<readonly Envelope[]> {
  return pool.any(sql.type(Envelope)`
    SELECT ${columnsOf(Envelope, { table: 'envelopes' })} FROM envelopes
    WHERE closed_at IS NULL AND (account_id, bank_account_id, spending_id)
      > (${accountId}, ${bankAccountId}, ${spendingId})
    ORDER BY account_id, bank_account_id, spending_id LIMIT ${pageSize}`)
}
