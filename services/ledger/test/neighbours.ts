import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineService } from '@coffer/kit/service/service'

/** What the other services were asked to do, in order. */
export const asked: unknown[][] = []

/** A service that only offers its part of the clean-up, and remembers being asked. */
function neighbour(name: string, schema: string, activity: string) {
  return defineService({
    name,
    schema,
    migrations: pathToFileURL(`${mkdtempSync(join(tmpdir(), 'coffer-none-'))}/`),
    settings: {},
    create: () => ({
      routes: () => undefined,
      activities: {
        [activity]: async (...args: unknown[]) => {
          asked.push([activity, ...args])
        },
      },
    }),
  })
}

/** The services that the ledger's workflows call, without tables of their own. */
export function neighbours() {
  return [
    neighbour('budgeting', 'budgeting', 'removePlans'),
    neighbour('aggregator-sync', 'aggregator_sync', 'releaseAggregatorConnection'),
    neighbour('feed-sync', 'feed_sync', 'releaseFeedConnection'),
  ]
}
