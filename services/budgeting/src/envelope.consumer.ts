import { groupsOf } from '@coffer/kit/batch'
import { entitiesMax } from '@coffer/kit/changes'
import { type Handler, on } from '@coffer/kit/consumer'
import type { Database } from '@coffer/kit/database'
import { unavailable } from '@coffer/kit/errors'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import {
  EnvelopeChangedSchema,
  EnvelopeClosedSchema,
  EnvelopesChangedSchema,
} from '@coffer/proto/ledger/v1/events'
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
    on(EnvelopeChangedSchema, ({ accountId, envelope }) =>
      storeAll(deps.storeAmounts, accountId, envelope ? [envelope] : []),
    ),
    on(EnvelopesChangedSchema, ({ accountId, envelopes }) =>
      storeAll(deps.storeAmounts, accountId, envelopes),
    ),
    on(EnvelopeClosedSchema, ({ accountId, bankAccountId, spendingId }) =>
      deleteSpending(database, { accountId, bankAccountId }, spendingId),
    ),
  ]
}

/** Changes of older versions carry any number of envelopes: these take a group at a time. */
async function storeAll(
  storeAmounts: StoreAmounts,
  accountId: string,
  envelopes: readonly Envelope[],
): Promise<void> {
  for (const group of groupsOf(envelopes, entitiesMax)) {
    const stored = await Promise.all(
      group.map((envelope) => storeAmounts({ ...envelope, accountId })),
    )
    if (stored.includes(false)) throw unavailable('a plan was changed at the same time')
  }
}
