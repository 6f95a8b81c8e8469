import { changeOf, emit } from '@coffer/kit/changes'
import type { Database } from '@coffer/kit/database'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import type { Account } from './account.ts'
import { accountsAfter } from './restate.sql.ts'

const pageSize = 500

/**
 * Records the settings of every account as changes once more, with their versions as they are: for
 * readers whose changes are no longer kept (`coffer replay`).
 *
 * @returns how many
 */
export async function restateAccounts(database: Database): Promise<number> {
  let restated = 0
  let after = ''
  for (;;) {
    const page = await accountsAfter(database, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return restated
    await database.transaction((tx) => emit(tx, ...page.map(settingsChange)))
    restated += page.length
    after = last.accountId
  }
}

function settingsChange({ accountId, timezone, locale, version }: Account) {
  const subject = { accountId, entityId: accountId, version }
  return changeOf(AccountSettingsChangedSchema, subject, { accountId, timezone, locale, version })
}
