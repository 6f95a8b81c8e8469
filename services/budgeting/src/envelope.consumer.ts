import { type Handler, on } from '@coffer/kit/consumer'
import { unavailable } from '@coffer/kit/errors'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { EnvelopeChangedSchema, EnvelopeClosedSchema } from '@coffer/proto/ledger/v1/events'
import { accountTimezone, type SettingsDeps } from './account-settings.client.ts'
import { saveSettings } from './account-settings.sql.ts'
import type { StoreAmounts } from './amounts.sql.ts'
import { deleteSpending } from './spending.sql.ts'

/**
 * What budgeting keeps of others: accounts' timezones and envelopes' amounts, both by version, and
 * the end of an envelope, which is the end of its plan.
 */
export function handlers(deps: SettingsDeps & { storeAmounts: StoreAmounts }): Handler[] {
  const { database, clock } = deps
  return [
    on(AccountSettingsChangedSchema, (event) => saveSettings(database, event)),
    on(EnvelopeChangedSchema, async ({ accountId, envelope }) => {
      if (!envelope) return
      const asOf = { timezone: await accountTimezone(deps, accountId), now: clock() }
      const scope = { accountId, bankAccountId: envelope.bankAccountId }
      const { isStored } = await deps.storeAmounts({ scope, amounts: [envelope], asOf })
      if (!isStored) throw unavailable('the plan was changed at the same time')
    }),
    on(EnvelopeClosedSchema, ({ accountId, bankAccountId, spendingId }) =>
      deleteSpending(database, { accountId, bankAccountId }, spendingId),
    ),
  ]
}
