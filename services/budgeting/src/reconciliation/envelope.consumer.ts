import { type Handler, on } from '@coffer/kit/events/handler'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import {
  EnvelopeChangedSchema,
  EnvelopeClosedSchema,
  EnvelopesChangedSchema,
} from '@coffer/proto/ledger/v1/events'
import { Code, ConnectError } from '@connectrpc/connect'
import { deletePlan } from '../plans/plan-works.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import type { SettingsDeps } from '../tenancy/account-settings.client.ts'
import { saveSettings } from '../tenancy/account-settings.sql.ts'
import { storeAmounts } from './amounts.service.ts'

type Deps = SettingsDeps & Pick<PlanWriter, 'write'>

/** Returns the handlers of other services' events. Outdated events are ignored by their version. */
export function handlers(deps: Deps): Handler[] {
  const { database, write } = deps
  return [
    on(AccountSettingsChangedSchema, (event) => saveSettings(database, event)),
    on(EnvelopeChangedSchema, ({ accountId, envelope }) =>
      storeAmounts(deps, accountId, envelope ? [envelope] : []).catch(ignoreNotFound),
    ),
    on(EnvelopesChangedSchema, ({ accountId, envelopes }) =>
      storeAmounts(deps, accountId, envelopes).catch(ignoreNotFound),
    ),
    on(EnvelopeClosedSchema, ({ accountId, bankAccountId, spendingId }) =>
      write(deletePlan({ accountId, bankAccountId, spendingId })).catch(ignoreNotFound),
    ),
  ]
}

/** Ignores notFound: a removed bank account has no plans to update. Rethrows other errors. */
function ignoreNotFound(error: unknown): void {
  if (ConnectError.from(error).code !== Code.NotFound) throw error
}
