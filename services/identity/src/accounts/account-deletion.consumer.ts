import type { Database } from '@coffer/kit/database/database'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { AccountDeletionRequestedSchema } from '@coffer/proto/identity/v1/events'
import { findDeletion } from './account-deletion.sql.ts'

/** Returns the event handler that starts deletions; ignores accounts that are deleted already. */
export function deletionHandler(deps: { database: Database; workflows: Workflows }): Handler {
  return on(AccountDeletionRequestedSchema, async ({ accountId }) => {
    const requestedAt = await findDeletion(deps.database, accountId)
    if (requestedAt !== null) await startDeletion(deps.workflows, accountId)
  })
}

/** Starts the workflow `delete-account/<accountId>`; does nothing while it runs. */
export function startDeletion(workflows: Workflows, accountId: string): Promise<void> {
  return workflows.start({
    type: 'deleteAccount',
    id: `delete-account/${accountId}`,
    args: [accountId],
  })
}
