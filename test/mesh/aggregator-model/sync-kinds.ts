import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { hourMs } from '@coffer/kit/values/time'
import { expect } from '@jest/globals'
import { sql } from 'slonik'
import type { Json } from '../../harness/person.ts'
import { changed, type Fault } from '../../providers/faults.ts'
import { plaidFaults } from '../../providers/plaid/faults.ts'
import type { PlaidWebhook, WebhookCode } from '../../providers/plaid/webhooks.ts'
import { type Chance, choose } from '../sync-model/chance.ts'
import type { AggregatorHome, AggregatorWorld } from './aggregator-world.ts'

/** A linked item in its world. */
export interface Syncing {
  world: AggregatorWorld
  home: AggregatorHome
}

/** `isWhole`: the sync read all changes, and stored them with the balances. */
interface SyncWay {
  isWhole: boolean
  /** Whether events can happen during the sync. */
  hasMoment: boolean
  run: (of: Syncing, chance: Chance, meanwhile: () => void) => Promise<unknown>
}

const requests = ['accounts/get', 'transactions/sync', 'transactions/get']

/** All ways in which a sync may go. */
export const syncKinds = {
  requested: whole(request),
  announced: whole(announce),
  announcedTwice: whole(async (of) => {
    const webhook = webhookOf(of)
    expect(await send(of, webhook)).toBe(200)
    // Its receipt is stored.
    expect(await send(of, webhook)).toBe(401)
    await of.home.ended()
  }),
  announcedOutOfOrder: whole(async (of, { pick }) => {
    const codes = ['ERROR', 'LOGIN_REPAIRED', 'SYNC_UPDATES_AVAILABLE', 'DEFAULT_UPDATE'] as const
    const all = codes.map((code) => webhookOf(of, code))
    await of.world.plaid.webhooks.sendReordered(all, pick)
    await of.home.ended()
    // The reading of the item is newer than all of them.
    await announce(of)
  }),
  notAnnounced: whole(sweep),
  twiceAtOnce: whole(async (of) => {
    const body = { linkId: of.home.linkId }
    await Promise.all([of.home.call('POST', '/link/sync', body), send(of, webhookOf(of))])
    await of.home.ended()
  }),
  requestedMeanwhile: whole(requestMeanwhile),
  changedMeanwhile: during(async (of, { variant }, meanwhile) => {
    const path = 'transactions/sync'
    of.home.item.fault(new RegExp(path), changed(doing(meanwhile)), 1)
    // After the changes, a requested sync reads the last days.
    await (variant % 2 === 0 ? request(of) : announce(of))
  }),
  changedAfterChanges: during(async (of, _, meanwhile) => {
    const { item } = of.home
    item.fault(/transactions\/get/, changed(doing(meanwhile)), 1)
    await request(of)
    item.fault(/transactions\/get/, null)
  }),
  fails: partial((of, chance) => syncFaulty(of, chance, plaidFaults.status(500))),
  cut: partial((of, chance) => syncFaulty(of, chance, plaidFaults.cut(chance.variant))),
  invalidJson: partial((of, chance) => syncFaulty(of, chance, plaidFaults.invalidJson)),
  unreadable: partial(syncUnreadable),
  limited: partial(async (of) => {
    // The item has no calls left in this hour, so the sync is postponed.
    await pauseCalls(of, 2 * hourMs)
    await announce(of)
    of.world.pass(3 * hourMs)
  }),
  loginRequired: whole(async (of) => {
    await breakLogin(of)
    of.home.item.error = null
    await send(of, webhookOf(of, 'LOGIN_REPAIRED'))
    await of.home.ended()
  }),
  updated: whole(async (of, { variant }) => {
    await breakLogin(of)
    const { home, world } = of
    const { linkToken } = await home.call('PUT', `/link/update/${home.linkId}`)
    const how = { renews: variant % 2 === 0 }
    const { publicToken } = world.plaid.completeLink(linkToken, how)
    const accountIds = home.item.accounts().map((one) => one.account_id)
    const body = { linkId: home.linkId, publicToken, accountIds }
    await home.call('POST', '/link/update/callback', body)
    await home.ended()
  }),
} satisfies Record<string, SyncWay>

export type SyncKind = keyof typeof syncKinds

function whole(run: SyncWay['run']): SyncWay {
  return { isWhole: true, hasMoment: run === requestMeanwhile, run }
}

function partial(run: SyncWay['run']): SyncWay {
  return { isWhole: false, hasMoment: false, run }
}

function during(run: SyncWay['run']): SyncWay {
  return { isWhole: false, hasMoment: true, run }
}

/** Lets events happen before a sync reads the changes, and announces them during the sync. */
async function requestMeanwhile(of: Syncing, _: Chance, meanwhile: () => void): Promise<void> {
  const { resolve } = await hold(of, 'accounts/get')
  meanwhile()
  await send(of, webhookOf(of))
  resolve()
  await of.home.ended()
}

/** Stores that the calls of the item are paused, as after answers 429. */
async function pauseCalls({ world, home }: Syncing, ms: number): Promise<void> {
  const until = new Date(world.now().getTime() + ms).toISOString()
  await world.coffer.booted.database('aggregator-sync').pool.query(sql.unsafe`
    UPDATE item_calls SET limited_until = ${until}
    WHERE account_id = ${home.person.accountId} AND link_id = ${home.linkId}`)
}

/** Lets the aggregator announce changes; waits until the sync ends. */
export async function announce(of: Syncing): Promise<void> {
  expect(await send(of, webhookOf(of))).toBe(200)
  await of.home.ended()
}

async function request({ home }: Syncing): Promise<void> {
  await home.call('POST', '/link/sync', { linkId: home.linkId })
  await home.ended()
}

/** Starts what is due after two days without webhooks. */
async function sweep({ world, home }: Syncing): Promise<void> {
  const { syncCount } = await home.state()
  world.pass(49 * hourMs)
  const type = 'startDueAggregatorSyncs'
  await world.coffer.booted.workflows.start({ type, id: newId('sweep'), args: [] })
  await eventually(home.state, (state) => state.syncCount > syncCount)
  await home.ended()
}

function webhookOf({ world, home }: Syncing, code: WebhookCode = 'SYNC_UPDATES_AVAILABLE') {
  return world.plaid.webhooks.create(home.item, code)
}

function send({ world }: Syncing, webhook: PlaidWebhook): Promise<number> {
  return world.plaid.webhooks.send(webhook)
}

/** Syncs while the aggregator answers requests with a fault. */
async function syncFaulty(of: Syncing, { pick }: Chance, fault: Fault): Promise<void> {
  const path = choose(requests, pick) ?? ''
  of.home.item.fault(new RegExp(path), fault)
  await request(of)
  of.home.item.fault(new RegExp(path), null)
}

/** Syncs while the aggregator lists one row that cannot be read. */
async function syncUnreadable(of: Syncing, { pick, variant }: Chance): Promise<void> {
  const { home, world } = of
  let rows = 0
  const fields = variant % 2 === 0 ? { date: '2026-11-31' } : { amount: [1] }
  const send = (_: string, row: Json) => {
    if (!row?.transaction_id || row.date === undefined) return row
    rows += 1
    return rows - 1 === pick % 8 ? { ...row, ...fields } : row
  }
  const path = /transactions\/sync/
  home.item.fault(
    path,
    changed((body) => JSON.stringify(JSON.parse(body, send))),
  )
  await (variant % 3 === 0 ? request(of) : announce(of))
  home.item.fault(path, null)
  // A whole loop with such a row is repeated after a day.
  if ((await home.state()).rereadAt !== null) world.pass(25 * hourMs)
}

/** Begins a sync whose next request of this path is answered when `resolve` is called. */
async function hold(of: Syncing, path: string): Promise<{ resolve: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { calls } = of.world.plaid
  of.home.item.fault(new RegExp(path), plaidFaults.hold(promise), 1)
  const from = calls.length
  await send(of, webhookOf(of))
  const isAsked = async () => calls.slice(from).some((one) => one.path.endsWith(path))
  await eventually(isAsked, Boolean)
  return { resolve }
}

/** Returns a change of a body that does not change it, but lets something happen once. */
function doing(something: () => void) {
  return (body: string): string => {
    something()
    return body
  }
}

/** The aggregator asks for another login, which a sync learns. */
async function breakLogin(of: Syncing): Promise<void> {
  of.home.item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
  await announce(of)
  expect((await of.home.state()).status).toBe('error')
}
