import type { Database } from '@coffer/kit/database/database'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { TimezoneChangeRequestedSchema } from '@coffer/proto/identity/v1/events'
import { findTimezoneChange } from './timezone-change.sql.ts'

/** Returns the event handler that starts changes of a timezone, unless they are complete. */
export function timezoneHandler(deps: { database: Database; workflows: Workflows }): Handler {
  return on(TimezoneChangeRequestedSchema, async ({ accountId }) => {
    const timezone = await findTimezoneChange(deps.database, accountId)
    if (timezone !== null) await startTimezoneChange(deps.workflows, accountId)
  })
}

/** Starts the workflow `change-timezone/<accountId>`; does nothing while it runs. */
export function startTimezoneChange(workflows: Workflows, accountId: string): Promise<void> {
  const id = `change-timezone/${accountId}`
  return workflows.start({ type: 'changeTimezone', id, args: [accountId] })
}
