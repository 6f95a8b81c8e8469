import type { Database } from '@coffer/kit/database/database'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { findBilledAccount } from './billing.sql.ts'

type Deps = { database: Database; workflows: Workflows; hasBilling: boolean }

/**
 * Returns the handler that starts the creation of a customer at Stripe for each new account.
 * Without billing the handler does nothing, but is registered: the subject stays in the filter of
 * the NATS consumer, so the events arrive anyway.
 */
export function registrationHandler({ database, workflows, hasBilling }: Deps): Handler {
  return on(AccountSettingsChangedSchema, async ({ accountId, version }) => {
    // Only for a new account, which has version 1. If a customer is still missing later, a sweep
    // creates it.
    if (!hasBilling || version !== 1n) return
    const account = await findBilledAccount(database, accountId)
    if (account?.customerId === null) await startCustomer(workflows, accountId)
  })
}

/** Starts the workflow `billing-customer/<accountId>`; does nothing while it runs. */
export function startCustomer(workflows: Workflows, accountId: string): Promise<void> {
  return workflows.start({
    type: 'createCustomer',
    id: `billing-customer/${accountId}`,
    args: [accountId],
  })
}
