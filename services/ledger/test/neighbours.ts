import { defineService } from '@coffer/kit/service/service'

/**
 * Recorded calls of the other services' Temporal activities, in order. Each is the activity's name,
 * then its arguments.
 */
export const activityCalls: unknown[][] = []

/** Returns a stub of another service with one activity, whose calls `activityCalls` records. */
function stubService(name: string, schema: string, activity: string) {
  return defineService({
    name,
    schema,
    // A folder without SQL files.
    migrations: new URL('./', import.meta.url),
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

/** Returns stubs, without tables, of the services whose activities the ledger's workflows call. */
export function neighbours() {
  return [
    stubService('budgeting', 'budgeting', 'removePlans'),
    stubService('aggregator-sync', 'aggregator_sync', 'releaseAggregatorConnection'),
    stubService('feed-sync', 'feed_sync', 'releaseFeedConnection'),
  ]
}
