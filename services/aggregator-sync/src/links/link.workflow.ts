import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { runPerStart } from '@coffer/kit/workflows/repeated-run'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { continueAsNew } from '@temporalio/workflow'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { linkActivities } from './link.activities.ts'

const activities = activitiesOf<ReturnType<typeof linkActivities>>('aggregator-sync', {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
})

const triesMax = 5

/**
 * Finishes the creation, update or release of a link; the workflow ID is
 * `aggregator-link/<linkId>`. After five attempts the sweep starts it again.
 */
export async function finishAggregatorLink(key: LinkKey, isContinued = false): Promise<void> {
  const attempt = async (_: string, pause: (ms: number) => Promise<unknown>) => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const pauseMs = await activities.finishLink(key)
      if (pauseMs === null) return
      await pause(pauseMs)
    }
  }
  const again = () => continueAsNew<typeof finishAggregatorLink>(key, true)
  await runPerStart(attempt, { isContinued, again })
}

/** Starts the workflows of links that are not finished, page by page; every ten minutes. */
export async function finishAggregatorLinks(place?: Place): Promise<void> {
  await runSteps([paged<string[]>([], activities.startUnfinishedLinks)], place)
}
