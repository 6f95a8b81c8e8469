import type { ServiceDeps } from '@coffer/kit/service/service'
import { createWatchedGauge } from '@coffer/kit/telemetry/meter'
import { countUnreleased } from '../connections/aggregator-link.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

const watchCount = createWatchedGauge({
  name: 'coffer_aggregator_releases_waiting',
  help: 'Ended links whose item is not removed at the aggregator yet, of all processes.',
})

const watchAge = createWatchedGauge({
  name: 'coffer_aggregator_release_age_seconds',
  help: 'Time since the end of the oldest of these links; 0 without any.',
})

/** Exports metrics of the unreleased links until disposed. */
export function startReleaseMetrics({ database, clock }: Deps): Disposable {
  const stack = new DisposableStack()
  stack.use(watchCount(async () => (await countUnreleased(database)).count))
  stack.use(
    watchAge(async () => {
      const { oldest } = await countUnreleased(database)
      return oldest ? Math.max(0, clock().getTime() - oldest.getTime()) / 1_000 : 0
    }),
  )
  return stack
}
