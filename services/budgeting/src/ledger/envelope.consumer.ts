import { type Handler, on } from '@coffer/kit/events/consumer'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import {
  EnvelopeChangedSchema,
  EnvelopeClosedSchema,
  EnvelopesChangedSchema,
} from '@coffer/proto/ledger/v1/events'
import { Code, ConnectError } from '@connectrpc/connect'
import { deletionOf } from '../plans/deletion.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import type { SettingsDeps } from '../tenancy/account-settings.client.ts'
import { saveSettings } from '../tenancy/account-settings.sql.ts'
import { storeAmounts } from './amounts.service.ts'

type Deps = SettingsDeps & Pick<PlanWriter, 'write'>

/**
 * What budgeting keeps of others: accounts' timezones and envelopes' amounts, both by version, and
 * the end of an envelope, which is the end of its plan.
 */
export function handlers(deps: Deps): Handler[] {
  const { database, write } = deps
  return [
    on(AccountSettingsChangedSchema, (event) => saveSettings(database, event)),
    on(EnvelopeChangedSchema, ({ accountId, envelope }) =>
      storeAmounts(deps, accountId, envelope ? [envelope] : []).catch(unlessGone),
    ),
    on(EnvelopesChangedSchema, ({ accountId, envelopes }) =>
      storeAmounts(deps, accountId, envelopes).catch(unlessGone),
    ),
    on(EnvelopeClosedSchema, ({ accountId, bankAccountId, spendingId }) =>
      write(deletionOf({ accountId, bankAccountId, spendingId })).catch(unlessGone),
    ),
  ]
}

/** A bank account that is removed has no plans. */
function unlessGone(error: unknown): void {
  if (ConnectError.from(error).code !== Code.NotFound) throw error
}
