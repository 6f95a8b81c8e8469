import type { Database } from '@coffer/kit/database/database'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { MailRequestedSchema } from '@coffer/proto/identity/v1/events'
import { findMail } from './mail.sql.ts'

/** Returns the event handler that starts a mail's workflow; ignores mails that are sent already. */
export function mailHandler(deps: { database: Database; workflows: Workflows }): Handler {
  return on(MailRequestedSchema, async ({ mailId }) => {
    if (await findMail(deps.database, mailId)) await startMail(deps.workflows, mailId)
  })
}

/** Starts the workflow `mail/<mailId>`; does nothing while it runs. */
export function startMail(workflows: Workflows, mailId: string): Promise<void> {
  return workflows.start({
    type: 'sendMail',
    id: `mail/${mailId}`,
    args: [mailId],
  })
}
