import type { Database } from '@coffer/kit/database/database'
import { emitAccountSettings, listAccounts } from './account.sql.ts'

const pageSize = 500

/**
 * Emits the settings of every account again, under their present versions (`coffer replay`). For
 * consumers that need changes which are no longer kept (docs/events.md#keeping-and-replay). Returns
 * the number of accounts.
 */
export async function restateAccounts(
  database: Database,
  billing: { billed: boolean },
): Promise<number> {
  let restated = 0
  let after = ''
  for (;;) {
    const page = await listAccounts(database, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return restated
    await database.transaction((tx) => emitAccountSettings(tx, page, billing))
    restated += page.length
    after = last.accountId
  }
}
