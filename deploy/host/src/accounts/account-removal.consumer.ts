import { createBatcher } from '@coffer/kit/database/batch'
import type { Database } from '@coffer/kit/database/database'
import type { Handler } from '@coffer/kit/events/handler'
import { findDeleted } from './deleted-accounts.sql.ts'

const batch = { sizeMax: 256, waitingMax: 1_024 }

/** Handlers that ignore messages of deleted accounts. Concurrent messages share one look-up. */
export function unlessDeleted(database: Database, handlers: readonly Handler[]): Handler[] {
  const isDeleted = createBatcher<string, boolean>(async (_key, accountIds) => {
    const deleted = await findDeleted(database, [...new Set(accountIds)])
    return accountIds.map((id) => ({ status: 'fulfilled', value: deleted.has(id) }))
  }, batch)
  return handlers.map(({ subject, handle }) => ({
    subject,
    handle: async (payload, delivery) => {
      if (!(await isDeleted('', delivery.accountId))) await handle(payload, delivery)
    },
  }))
}
