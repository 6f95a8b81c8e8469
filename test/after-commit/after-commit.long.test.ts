import { definitions } from '@coffer/cli/services'
import { apiRoutes } from '@coffer/client/build/document'
import { expect, test } from '@jest/globals'
import { useAll } from '../examples/recording.ts'
import { looksAround, registers } from '../examples/sign-in.ts'
import { startWorld } from '../examples/world.ts'
import { createFaultyRecorder, sendObserved, type Tally } from './faulty-recorder.ts'
import type { FaultKind } from './observed-request.ts'
import { observed } from './observed-services.ts'

const services = observed(definitions)
const kinds: FaultKind[] = ['unavailable', 'deadline']
const stepsMax = 20

/** Operations that write and are not sent, each with the reason. */
const unsent: Record<string, string> = {
  receiveStripeEvent: 'Stripe sends it, and repeats it after an error',
  receiveAggregatorWebhook: 'Plaid sends it, and repeats it after an error',
}

test.each(kinds)(
  'no operation answers a committed write with an error: %s',
  async (kind) => {
    const tally: Tally = { succeeded: new Set(), faults: 0, violations: [] }
    let met = -1
    for (let index = 0; index < stepsMax && tally.faults > met; index += 1) {
      met = tally.faults
      const createRecorder = createFaultyRecorder({ index, kind }, tally)
      await using world = await startWorld({ services, createRecorder })
      await useAll(world)
    }
    expect(tally.violations).toEqual([])
    const writing = apiRoutes().filter(({ method }) => method !== 'GET')
    const missing = writing.map(({ id }) => id).filter((id) => !tally.succeeded.has(id))
    expect(missing.sort()).toEqual(Object.keys(unsent).sort())
  },
  3_600_000,
)

test.each(kinds)(
  'a link over the aggregator that goes on says so: %s',
  async (kind) => {
    const tally: Tally = { succeeded: new Set(), faults: 0, violations: [] }
    const createRecorder = createFaultyRecorder({ index: stepsMax, kind }, tally)
    await using world = await startWorld({ services, createRecorder })
    const ada = await registers(world)
    // An account in its trial has one link only.
    await looksAround(world, ada)
    for (let index = 0; ; index += 1) {
      const { body: opened } = await ada.session('GET', '/aggregator/token/new')
      const { publicToken, item } = world.plaid.completeLink(opened.linkToken)
      const accountIds = item.accounts().map((one) => one.account_id)
      const request = {
        method: 'POST',
        path: '/aggregator/token/callback',
        headers: ada.sessionHeaders,
        body: { publicToken, accountIds },
      }
      const { answer, failed } = await sendObserved(world.coffer.baseUrl, request, { index, kind })
      await world.pass(60)
      const { status, body } = answer
      if (status !== 200) {
        expect([500, 504]).toContain(status)
        const text = /may have been carried out|the server tries again/
        expect({ failed, says: body.error }).toEqual({ failed, says: expect.stringMatching(text) })
      }
      if (failed === null) break
      expect(index).toBeLessThan(stepsMax)
    }
  },
  600_000,
)
