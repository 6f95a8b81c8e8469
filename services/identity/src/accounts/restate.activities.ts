import type { Database } from '@coffer/kit/database/database'
import { emitAccountSettings, listAccounts } from './account.sql.ts'

const pageSize = 500

/**
 * Records the settings of every account as changes once more, with their versions as they are: for
 * readers whose changes are no longer kept (`coffer replay`).
 *
 * @returns how many
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
