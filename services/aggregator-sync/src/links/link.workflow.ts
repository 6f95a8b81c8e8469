import { eachPage } from '@coffer/kit/workflows/pages'
import { runPerStart } from '@coffer/kit/workflows/repeated-run'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { LinkKey } from './aggregator-link.ts'
import type { linkActivities } from './link.activities.ts'

const activities = activitiesOf<ReturnType<typeof linkActivities>>('aggregator-sync', {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
})

const triesMax = 5

/**
 * Finishes the creation or the release of a link; the workflow ID is `aggregator-link/<linkId>`.
 * After five attempts the sweep starts it again.
 */
export async function finishAggregatorLink(key: LinkKey): Promise<void> {
  await runPerStart(async (_, pause) => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const pauseMs = await activities.finishLink(key)
      if (pauseMs === null) return
      await pause(pauseMs)
    }
  })
}

/** Starts the workflows of links that are not finished, page by page; every ten minutes. */
export async function finishAggregatorLinks(): Promise<void> {
  await eachPage(activities.startUnfinishedLinks)
}
