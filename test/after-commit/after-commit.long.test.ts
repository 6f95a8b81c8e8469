import { definitions } from '@coffer/cli/process/services'
import { apiRoutes } from '@coffer/client/build/document'
import { expect, test } from '@jest/globals'
import { useAll } from '../examples/recording.ts'
import { type Ada, looksAround, password, registers } from '../examples/sign-in.ts'
import { startWorld, type World } from '../examples/world.ts'
import { createFaultyRecorder, sendObserved, type Tally } from './faulty-recorder.ts'
import type { FaultKind } from './observed-request.ts'
import { observed } from './observed-services.ts'
import { plansAndDeletes } from './planned-account.ts'

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
      // The examples have no deletions without a body, and move no account.
      await useAll(world, async ({ key, session }) => {
        await plansAndDeletes(key)
        const moved = { timezone: 'America/Chicago', currentPassword: password }
        await session('PUT', '/users/me/timezone', { body: moved })
      })
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
    const send = createSend(world, ada, kind)
    const linkId = await untilNoneFails(async (index) => {
      const { body: opened } = await ada.session('GET', '/aggregator/token/new')
      return send('token/callback', choose(world, opened), index)
    })
    await untilNoneFails(async (index) => {
      const { body: renewal } = await ada.session('PUT', `/aggregator/link/update/${linkId}`)
      return send('link/update/callback', { linkId, ...choose(world, renewal) }, index)
    })
  },
  600_000,
)

function choose({ plaid }: World, { linkToken }: { linkToken: string }) {
  const { publicToken, item } = plaid.completeLink(linkToken)
  return { publicToken, accountIds: item.accounts().map((one) => one.account_id) }
}

interface Sent {
  /** The step that failed; null if the request has fewer steps. */
  failed: string | null
  linkId: string
}

/** Returns a function that sends a request whose step fails; its answer has to say so. */
function createSend({ coffer, pass }: World, { sessionHeaders: headers }: Ada, kind: FaultKind) {
  return async (path: string, body: object, index: number): Promise<Sent> => {
    const request = { method: 'POST', path: `/aggregator/${path}`, headers, body }
    const { answer, failed } = await sendObserved(coffer.baseUrl, request, { index, kind })
    await pass(60)
    const { status, body: answered } = answer
    if (status !== 200) {
      const says = expect.stringMatching(/may have been carried out|the server tries again/)
      expect({ failed, status, says: answered.error }).toEqual({ failed, status, says })
      expect([500, 504]).toContain(status)
    }
    return { failed, linkId: answered.linkId }
  }
}

/** Sends requests until no step is left that could fail. Returns the link of the last one. */
async function untilNoneFails(send: (index: number) => Promise<Sent>): Promise<string> {
  for (let index = 0; index < stepsMax; index += 1) {
    const { failed, linkId } = await send(index)
    if (failed === null) return linkId
  }
  throw new Error('a request has more steps than are tried')
}
