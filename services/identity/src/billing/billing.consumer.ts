import type { Database } from '@coffer/kit/database/database'
import { type Handler, on } from '@coffer/kit/events/consumer'
import type { Workflows } from '@coffer/kit/workflows/temporal'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { findBilledAccount } from './billing.sql.ts'

type Deps = { database: Database; workflows: Workflows; hasBilling: boolean }

/**
 * Has a customer made for every account that is registered. Without billing the messages are taken
 * in all the same: the filter of a durable consumer only grows.
 */
export function registrationHandler({ database, workflows, hasBilling }: Deps): Handler {
  return on(AccountSettingsChangedSchema, async ({ accountId, version }) => {
    // Registration is version 1; later ones find the customer made, or leave it to the sweep.
    if (!hasBilling || version !== 1n) return
    const account = await findBilledAccount(database, accountId)
    if (account?.customerId === null) await startCustomer(workflows, accountId)
  })
}

/** Starts making the account's customer at Stripe, or joins it. */
export function startCustomer(workflows: Workflows, accountId: string): Promise<void> {
  return workflows.start({
    type: 'createCustomer',
    id: `billing-customer/${accountId}`,
    taskQueue: 'identity',
    args: [accountId],
  })
}
