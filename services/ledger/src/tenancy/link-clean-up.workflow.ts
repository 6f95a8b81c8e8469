import { isHistoryLong } from '@coffer/kit/workflows/history'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { continueAsNew } from '@temporalio/workflow'
import type { LinkKey } from '../book/link.ts'
import type { linkCleanUpActivities } from './link-clean-up.activities.ts'

/** Activities that other services execute on their own task queues; all are idempotent. */
interface Elsewhere {
  releaseAggregatorConnection: (accountId: string, linkId: string) => Promise<void>
  releaseFeedConnection: (accountId: string, linkId: string) => Promise<void>
  removePlans: (accountId: string, bankAccountIds: string[]) => Promise<void>
}

// Per attempt of an activity: its maximum duration, and the maximum time between two heartbeats,
// after which Temporal regards the process as dead and starts the next attempt.
const timeouts = { startToCloseTimeout: '2 minutes', heartbeatTimeout: '10 seconds' } as const

/**
 * Cleans up after a deleted link (docs/links.md#clean-up): closes the connection to the provider,
 * then deletes plans, then money. The link's row is kept. Workflow ID: `link-clean-up/<linkId>`.
 * Continue-as-new: when the history is long, a new run deletes the rows that are left (`hasPlans`
 * is false then).
 */
export async function cleanUpLink(link: LinkKey, hasPlans = true): Promise<void> {
  const here = activitiesOf<ReturnType<typeof linkCleanUpActivities>>('ledger', timeouts)
  if (hasPlans) await removePlans(link, here)
  while (!(await here.removeLinkRows(link))) {
    if (isHistoryLong()) await continueAsNew<typeof cleanUpLink>(link, false)
  }
}

/** Closes the connection, then deletes the plans of the link's bank accounts: at most 1,000. */
async function removePlans(
  link: LinkKey,
  here: ReturnType<typeof linkCleanUpActivities>,
): Promise<void> {
  const { accountId, linkId } = link
  const at = (service: string) => activitiesOf<Elsewhere>(service, timeouts)
  const linkType = await here.describeDeletedLink(link)
  if (linkType === 'aggregator') {
    await at('aggregator-sync').releaseAggregatorConnection(accountId, linkId)
  }
  if (linkType === 'feed') {
    await at('feed-sync').releaseFeedConnection(accountId, linkId)
  }
  const budgeting = at('budgeting')
  let page = await here.listLinkBankAccounts(link, '')
  while (page.length > 0) {
    await budgeting.removePlans(accountId, page)
    page = await here.listLinkBankAccounts(link, page.at(-1) ?? '')
  }
}
