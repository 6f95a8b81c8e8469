import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import type { Link } from '../book/link.ts'
import { emitBankAccounts } from './changed-rows.sql.ts'
import { updateAll } from './removal.sql.ts'

/**
 * Copies the type of a link, which this transaction has locked and saved, to its bank accounts. The
 * statement runs after the lock is granted, so that it sees bank accounts created meanwhile.
 */
export async function copyLinkType(tx: Tx, link: Link): Promise<void> {
  const { linkType, updatedAt } = link
  const assignments = sql.fragment`
    link_type = ${linkType}, updated_at = ${updatedAt.toISOString()}`
  const ids = await updateAll(tx, link, assignments)
  await emitBankAccounts(tx, { ...link, now: updatedAt }, { type: 'bank_account.updated', ids })
}
