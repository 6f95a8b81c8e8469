import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { Envelope } from './envelope.ts'

/** Where a page over all accounts begins: after this envelope. */
export type EnvelopeCursor = Pick<Envelope, 'accountId' | 'bankAccountId' | 'spendingId'>

/** A page of the open envelopes of every account, in the order of their key. */
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
