import { metricValue } from '@coffer/host/testing/metrics'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { beforeEach, expect, test } from '@jest/globals'
import { startWebhookMetrics } from '../src/deliveries/webhook-metrics.service.ts'
import { bootWebhooks } from './webhooks.ts'

const booted = started(() => bootWebhooks())

beforeEach(() => booted.receiver.respond((response) => response.writeHead(200).end()))

/** Returns the values of the gauges at an instant: states, what waits, the lag in seconds. */
async function gaugesAt(now: Date) {
  using _metrics = startWebhookMetrics({ ...booted.deps, clock: () => now })
  const counts = ['well', 'failing', 'off'].map((state) =>
    metricValue('coffer_webhooks', { state }),
  )
  return {
    states: await Promise.all(counts),
    waiting: await metricValue('coffer_webhook_deliveries_waiting'),
    lag: (await metricValue('coffer_webhook_lag_seconds')) ?? Number.NaN,
  }
}

const requests = (outcome: string) =>
  metricValue('coffer_webhook_request_seconds_count', { outcome })

test('gauges show states, waiting deliveries, and the lag except rests', async () => {
  const { append, serve, clock, after, clients } = await booted.account()
  const now = () => clock.now ?? new Date()
  clock.now = new Date()
  expect(await gaugesAt(now())).toEqual({ states: [1, 0, 0], waiting: 0, lag: 0 })
  await append(newId('txn'))
  const unread = await gaugesAt(new Date(now().getTime() + hourMs))
  expect(unread).toMatchObject({ states: [1, 0, 0], waiting: 0 })
  expect(unread.lag).toBeGreaterThan(3_500)
  booted.receiver.respond((response) => response.writeHead(500).end())
  const { dueAt } = await serve()
  await append(newId('txn'))
  // While it rests nothing is late; then the attempt that is due.
  expect(await gaugesAt(now())).toEqual({ states: [0, 1, 0], waiting: 1, lag: 0 })
  const late = await gaugesAt(new Date((dueAt?.getTime() ?? 0) + hourMs))
  expect(late.lag).toBeCloseTo(3_600, -1)
  after(3 * dayMs)
  await clients.webhooks.update({ isEnabled: false })
  expect(await gaugesAt(now())).toEqual({ states: [0, 0, 0], waiting: 0, lag: 0 })
  await clients.webhooks.remove()
})

test('requests are counted by outcome, and a webhook that the server switched off', async () => {
  const { append, serve, after, clients } = await booted.account()
  const before = await Promise.all(['delivered', 'refused', 'none'].map(requests))
  await append(newId('txn'))
  await serve()
  booted.receiver.respond((response) => response.destroy())
  await append(newId('txn'))
  await serve()
  booted.receiver.respond((response) => response.writeHead(410).end())
  after(hourMs)
  await serve()
  const later = await Promise.all(['delivered', 'refused', 'none'].map(requests))
  expect(later.map((count, index) => (count ?? 0) - (before[index] ?? 0))).toEqual([1, 1, 1])
  expect((await gaugesAt(new Date())).states).toEqual([0, 0, 1])
  await clients.webhooks.remove()
})
