import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineService } from '@coffer/kit/service/service'

/** Calls of activities of the other services, in order: the name, then the arguments. */
export const activityCalls: unknown[][] = []

/** Returns a stub service with one activity of the clean-up, which records its calls. */
function stubService(name: string, schema: string, activity: string) {
  return defineService({
    name,
    schema,
    migrations: pathToFileURL(`${mkdtempSync(join(tmpdir(), 'coffer-none-'))}/`),
    settings: {},
    create: () => ({
      routes: () => undefined,
      activities: {
        [activity]: async (...args: unknown[]) => {
          activityCalls.push([activity, ...args])
        },
      },
    }),
  })
}

/** Returns stub services for the workflows of the ledger; they have no tables. */
export function neighbours() {
  return [
    stubService('budgeting', 'budgeting', 'removePlans'),
    stubService('aggregator-sync', 'aggregator_sync', 'releaseAggregatorConnection'),
    stubService('feed-sync', 'feed_sync', 'releaseFeedConnection'),
  ]
}
