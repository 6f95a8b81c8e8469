import { isDeleted } from './account-removal.sql.ts'
import type { Handler } from './consumer.ts'
import type { Database } from './database.ts'

/** The handler, which takes nothing in any more for an account that is deleted. */
export function unlessDeleted(database: Database, { subject, handle }: Handler): Handler {
  return {
    subject,
    handle: async (payload, delivery) => {
      if (!(await isDeleted(database, delivery.accountId))) await handle(payload, delivery)
    },
  }
}
