import { type Handler, on } from '@coffer/kit/consumer'
import type { Database } from '@coffer/kit/database'
import { unavailable } from '@coffer/kit/errors'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { EnvelopeChangedSchema, EnvelopeClosedSchema } from '@coffer/proto/ledger/v1/events'
import { saveSettings } from './account-settings.sql.ts'
import type { StoreAmounts } from './amounts.sql.ts'
import { deleteSpending } from './spending.sql.ts'

/**
 * What budgeting keeps of others: accounts' timezones and envelopes' amounts, both by version, and
 * the end of an envelope, which is the end of its plan.
 */
export function handlers(deps: { database: Database; storeAmounts: StoreAmounts }): Handler[] {
  const { database } = deps
  return [
    on(AccountSettingsChangedSchema, (event) => saveSettings(database, event)),
    on(EnvelopeChangedSchema, async ({ accountId, envelope }) => {
      if (!envelope) return
      const isStored = await deps.storeAmounts({ ...envelope, accountId })
      if (!isStored) throw unavailable('the plan was changed at the same time')
    }),
    on(EnvelopeClosedSchema, ({ accountId, bankAccountId, spendingId }) =>
      deleteSpending(database, { accountId, bankAccountId }, spendingId),
    ),
  ]
}
