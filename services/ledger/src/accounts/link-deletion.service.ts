import type { Transaction as Tx } from '@coffer/kit/database/database'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { toMessage } from '@coffer/kit/rpc/message'
import { LinkDeletedSchema } from '@coffer/proto/ledger/v1/events'
import type { Link } from '../book/link.ts'
import { emitBankAccounts } from '../money/changed-rows.sql.ts'
import { removeBankAccounts } from '../money/removal.sql.ts'
import { saveLink } from './link.sql.ts'
import { deleteLink, subjectOf } from './link-change.ts'

/**
 * Marks a locked link as deleted and hides its bank accounts (docs/links.md#deleting-a-link). The
 * event starts the clean-up. Throws `refused` if the link is deleted already.
 */
export async function deleteLocked(tx: Tx, locked: Link, now: Date): Promise<void> {
  const link = deleteLink(locked, now)
  await saveLink(tx, link)
  const ids = await removeBankAccounts(tx, link, now)
  await emitBankAccounts(tx, { ...link, now }, { type: 'bank_account.deleted', ids })
  await emit(tx, changeOf(LinkDeletedSchema, subjectOf(link), toMessage(LinkDeletedSchema, link)))
}
