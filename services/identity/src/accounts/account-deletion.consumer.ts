import type { Database } from '@coffer/kit/database/database'
import { type Handler, on } from '@coffer/kit/events/consumer'
import type { Workflows } from '@coffer/kit/workflows/temporal'
import { AccountDeletionRequestedSchema } from '@coffer/proto/identity/v1/events'
import { isDeletionRequested } from './account-deletion.sql.ts'

/** Has accounts deleted; those gone already, which a replay brings again, cost one look. */
export function deletionHandler(deps: { database: Database; workflows: Workflows }): Handler {
  return on(AccountDeletionRequestedSchema, async ({ accountId }) => {
    if (await isDeletionRequested(deps.database, accountId)) {
      await startDeletion(deps.workflows, accountId)
    }
  })
}

/** Starts deleting an account, or joins it. */
export function startDeletion(workflows: Workflows, accountId: string): Promise<void> {
  return workflows.start({
    type: 'deleteAccount',
    id: `delete-account/${accountId}`,
    taskQueue: 'identity',
    args: [accountId],
  })
}
