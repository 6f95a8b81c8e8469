import type { ServiceDeps } from '@coffer/kit/service/service'
import { createHistogram, createWatchedGauge } from '@coffer/kit/telemetry/meter'
import type { Attempt } from './delivery.ts'
import { countWebhooks } from './progress.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

const observeSeconds = createHistogram({
  name: 'coffer_webhook_request_seconds',
  help: 'Time a request to a webhook took, by outcome: delivered, refused (another status), none.',
  labelNames: ['outcome'],
})

const watchWebhooks = createWatchedGauge({
  name: 'coffer_webhooks',
  help: 'Webhooks of all processes by state: well, failing, off (the server switched them off).',
  labelNames: ['state'],
})

const watchWaiting = createWatchedGauge({
  name: 'coffer_webhook_deliveries_waiting',
  help: 'Stored deliveries that are to be sent or repeated, of all processes.',
})

const watchLag = createWatchedGauge({
  name: 'coffer_webhook_lag_seconds',
  help: 'Time since a webhook could have been served, of the longest; rests are left out.',
})

/** Records a request to a webhook. */
export function observeRequest(
  { status, problem }: Pick<Attempt, 'status' | 'problem'>,
  ms: number,
): void {
  const outcome = problem === null ? 'delivered' : status === null ? 'none' : 'refused'
  observeSeconds(ms / 1_000, outcome)
}

/** Exports metrics of webhooks and pending deliveries until disposed. */
export function startWebhookMetrics({ database, clock }: Deps): Disposable {
  const stack = new DisposableStack()
  let counting: ReturnType<typeof countWebhooks> | null = null
  // The gauges of a scrape share one query.
  const count = () => {
    counting ??= countWebhooks(database, clock()).finally(() => {
      counting = null
    })
    return counting
  }
  for (const state of ['well', 'failing', 'off'] as const) {
    stack.use(watchWebhooks(async () => (await count())[state], state))
  }
  stack.use(watchWaiting(async () => (await count()).waiting))
  stack.use(watchLag(async () => (await count()).lagSeconds))
  return stack
}
