import { createBatcher } from '@coffer/kit/database/batch'
import type { Database } from '@coffer/kit/database/database'
import type { Handler } from '@coffer/kit/events/handler'
import { sql } from 'slonik'
import { z } from 'zod'

const batch = { sizeMax: 256, waitingMax: 1_024, isGathered: true }

/** Wraps handlers to ignore messages of deleted accounts; one query checks concurrent messages. */
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
