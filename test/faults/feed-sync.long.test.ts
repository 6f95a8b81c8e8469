import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { newPerson } from '../harness/person.ts'
import { type Deployment, deploy } from '../harness/process.ts'
import { type LunchFlow, startLunchFlow } from '../providers/lunch-flow.ts'
import { seed } from '../seed.ts'
import { type Apart, startApart } from './apart.ts'
import { type FeedPoint, ownFeedPoints, sharedFeedPoints } from './feed-points.ts'
import { type LinkedAccount, prepareAccount } from './linked-account.ts'
import { type Held, killAt, turnOf } from './sync-kills.ts'

const stack = new AsyncDisposableStack()
let provider: LunchFlow
let deployment: Deployment
let reader: pg.Client
let apart: Apart

beforeAll(async () => {
  provider = stack.use(await startLunchFlow())
  deployment = stack.use(
    await deploy({ COFFER_FEED_ENABLED: 'true', COFFER_FEED_ALLOWED_URLS: provider.url }),
  )
  reader = new pg.Client({ connectionString: deployment.databaseUrl })
  await reader.connect()
  stack.defer(() => reader.end())
  apart = await startApart(deployment, 'feed-sync', stack)
})

afterAll(async () => {
  await stack.disposeAsync()
})

let linkCount = 0
const nextFeedId = () => {
  linkCount += 1
  return `${linkCount}`
}

type HeldLink = Held<LinkedAccount>

/** Links a bank account for each point. */
async function linkFor(points: FeedPoint[]): Promise<HeldLink[]> {
  const person = await newPerson(deployment.baseUrl)
  return Promise.all(
    points.map(async (point) => {
      const of = { person, feedId: nextFeedId(), added: point.rows }
      return { point, work: await prepareAccount({ provider, reader }, of) }
    }),
  )
}

/** Starts the ledger and waits until it has answered a call of each link's sync. */
async function startLedger(links: HeldLink[]): Promise<void> {
  const calls = links.map(({ work: { linkId: text } }) => {
    return apart.gate.hold({ method: 'ListSyncedBankAccounts', text, side: 'answer' })
  })
  await apart.startLedger()
  for (const call of calls) {
    await call.reached()
    call.release()
  }
}

// Temporal repeats the steps of a killed feed-sync, and continues workflows of a killed process,
// after ten seconds each. The test waits for both at once.
test('syncs end after the ledger, then feed-sync are killed at any points', async () => {
  const ofLedger = await linkFor(turnOf(sharedFeedPoints, { count: 4, seed }))
  const ofFeedSync = await linkFor([
    ...turnOf(ownFeedPoints, { count: 2, seed }),
    ...turnOf(sharedFeedPoints, { count: 2, seed: seed + 3 }),
  ])
  const since = new Date()
  const { database, databaseUrl } = deployment
  const { ledger, sync, gate, startSync } = apart
  const around = { gate, database, databaseUrl }
  await killAt(around, ofLedger, { kill: ledger.kill, start: () => startLedger(ofLedger) })
  await killAt(around, ofFeedSync, { kill: sync.kill, start: startSync })
  for (const { point, work } of [...ofLedger, ...ofFeedSync]) {
    const health = await work.untilSynced(since).catch((cause) => {
      throw new Error(`the sync that was held ${point.name} has not ended`, { cause })
    })
    const { status, failuresInRow, lastError } = health
    expect([point.name, status, failuresInRow, lastError]).toEqual([point.name, 'active', 0, null])
    await work.expectSynced()
  }
  expect(provider.overlaps).toEqual([])
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})
