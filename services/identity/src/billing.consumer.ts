import { type Handler, on } from '@coffer/kit/consumer'
import type { Workflows } from '@coffer/kit/temporal'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'

/** Has a customer made for every account that is registered. */
export function registrationHandler({ workflows }: { workflows: Workflows }): Handler {
  return on(AccountSettingsChangedSchema, async ({ accountId, version }) => {
    // Registration is version 1; later ones find the customer made, or leave it to the sweep.
    if (version === 1n) await startCustomer(workflows, accountId)
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
