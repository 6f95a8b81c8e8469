import { createBatcher } from '@coffer/kit/database/batch'
import type { Database } from '@coffer/kit/database/database'
import type { Handler } from '@coffer/kit/events/handler'
import { sql } from 'slonik'
import { z } from 'zod'

const batch = { sizeMax: 256, waitingMax: 1_024, isGathered: true }

/**
 * Wraps handlers so that they ignore messages of deleted accounts. The accounts of messages that
 * are handled at the same time are looked up in one query.
 */
export function unlessDeleted({ pool }: Database, handlers: readonly Handler[]): Handler[] {
  const isDeleted = createBatcher<string, boolean>(async (_key, accountIds) => {
    const deleted = await pool.anyFirst(sql.type(z.object({ accountId: z.string() }))`
      SELECT account_id AS "accountId" FROM deleted_accounts
      WHERE account_id = ANY(${sql.array([...new Set(accountIds)], 'text')})`)
    return accountIds.map((id) => ({ status: 'fulfilled', value: deleted.includes(id) }))
  }, batch)
  return handlers.map(({ subject, handle }) => ({
    subject,
    handle: async (payload, delivery) => {
      if (!(await isDeleted('', delivery.accountId))) await handle(payload, delivery)
    },
  }))
}
