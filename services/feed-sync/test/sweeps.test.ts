import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { boot, eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { markDeleted } from '@coffer/kit/accounts/account-removal.sql'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { syncSweeps } from '@coffer/sync-kit/syncs/sync-sweep.activities'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { releaseConnection } from '../src/links/feed-link.activities.ts'
import { feedSync } from '../src/service.ts'
import { feedSyncs } from '../src/syncs/feed-sync.sql.ts'
import type { FeedSync } from '../src/syncs/feed-sync.ts'
import { readSync } from '../src/syncs/operator.service.ts'
import { createLinked, feedUrl, type Linked } from './feed-links.ts'

const now = new Date('2026-03-01T10:00:00Z')
const before = (ms: number) => new Date(now.getTime() - ms)

const booted = started(() =>
  boot([feedSync], { COFFER_FEED_ENABLED: 'true', COFFER_FEED_ALLOWED_URLS: feedUrl }),
)

beforeEach(() => {
  booted.clock.now = now
})

afterEach(async () => {
  booted.clock.now = null
  const database = booted.database('feed-sync')
  await database.pool.query(sql.unsafe`TRUNCATE feed_links CASCADE`)
  await database.pool.query(sql.unsafe`TRUNCATE account_settings, deleted_accounts`)
})

const page = { now, after: [], limit: 10 }
const lost = { ...page, before: before(30_000) }
const stored = ({ key }: Linked) => readSync(booted.database('feed-sync'), key)

async function aLinkWith(state: Partial<FeedSync>): Promise<Linked> {
  const linked = await createLinked(booted)
  await linked.change(state)
  return linked
}

async function dueLinks(): Promise<string[]> {
  const due = await feedSyncs.listDue(booted.database('feed-sync'), page)
  return due.map(({ linkId }) => linkId)
}

/** Publishes identity's event of changed settings; waits until it is stored. */
async function subscribe(accountId: string, until: Date | null, version = 1n): Promise<void> {
  const database = booted.database('feed-sync')
  const paid = until ? { subscriptionActiveUntil: timestampFromDate(until) } : {}
  const settings = { accountId, timezone: 'UTC', locale: 'en_US', version, ...paid }
  const subject = { accountId, entityId: accountId, version }
  const change = changeOf(AccountSettingsChangedSchema, subject, settings)
  await database.transaction((tx) => emit(tx, change))
  const isStored = () =>
    database.pool.exists(sql.unsafe`
      SELECT FROM account_settings WHERE account_id = ${accountId} AND version = ${version}`)
  await eventually(isStored, Boolean)
}

function run(activity: string, ...args: unknown[]): Promise<unknown> {
  const found = booted.host.services['feed-sync']?.activities?.[activity]
  if (!found) throw new Error(`${activity} is missing`)
  return found(...args)
}

test('due connections are listed, the earliest first, page by page', async () => {
  const second = await aLinkWith({ nextSyncAt: before(1) })
  const first = await aLinkWith({ nextSyncAt: before(2) })
  await aLinkWith({ nextSyncAt: new Date(now.getTime() + 1) })
  await aLinkWith({ nextSyncAt: null })
  await aLinkWith({ nextSyncAt: before(3), status: 'error' })
  expect(await dueLinks()).toEqual([first.key.linkId, second.key.linkId])
  const database = booted.database('feed-sync')
  const [one] = await feedSyncs.listDue(database, { ...page, limit: 1 })
  const after = [one?.dueAt ?? '', one?.accountId ?? '', one?.feedLinkId ?? '']
  expect(await feedSyncs.listDue(database, { ...page, after })).toMatchObject([second.key])
})

test('pages of connections that are due at the same microsecond do not repeat', async () => {
  const links = [await createLinked(booted), await createLinked(booted), await createLinked(booted)]
  const database = booted.database('feed-sync')
  await database.pool.query(
    sql.unsafe`UPDATE feed_links SET next_sync_at = '2026-03-01T09:00:00.123456Z'`,
  )
  const seen: string[] = []
  let after: string[] = []
  for (const _ of links) {
    const [one] = await feedSyncs.listDue(database, { ...page, after, limit: 1 })
    if (!one) break
    seen.push(one.linkId)
    after = [one.dueAt, one.accountId, one.feedLinkId]
  }
  expect(seen.toSorted()).toEqual(links.map(({ key }) => key.linkId).toSorted())
  expect(await feedSyncs.listDue(database, { ...page, after })).toEqual([])
})

test('due syncs are started two at a time, each once', async () => {
  const links = await Promise.all(
    Array.from({ length: 7 }, () => aLinkWith({ nextSyncAt: before(1) })),
  )
  const started: string[] = []
  const running = { now: 0, max: 0 }
  const start = async (_: unknown, { linkId }: { linkId: string }) => {
    running.now += 1
    running.max = Math.max(running.max, running.now)
    await new Promise(setImmediate)
    started.push(linkId)
    running.now -= 1
  }
  const deps = { database: booted.database('feed-sync'), workflows: booted.workflows }
  const sweeps = syncSweeps(deps, { store: feedSyncs, requests: { start }, isEnabled: true })
  expect(await sweeps.startDueSyncs([])).toBeNull()
  expect(started.toSorted()).toEqual(links.map(({ key }) => key.linkId).toSorted())
  expect(running.max).toBe(2)
})

test('requests and syncs without an end are listed after a while', async () => {
  const requested = await aLinkWith({ requestedAt: before(30_001), status: 'error' })
  const begun = await aLinkWith({ syncRunId: 'run_1', syncStartedAt: before(30_001) })
  await aLinkWith({ requestedAt: before(29_999) })
  await aLinkWith({ syncRunId: 'run_2', syncStartedAt: before(29_999) })
  const ended = await aLinkWith({ requestedAt: before(hourMs), syncRunId: 'run_3' })
  await releaseConnection({ database: booted.database('feed-sync'), clock: () => now }, ended.key)
  const unfinished = await feedSyncs.listUnfinished(booted.database('feed-sync'), lost)
  expect(unfinished.map(({ linkId }) => linkId).toSorted()).toEqual(
    [requested.key.linkId, begun.key.linkId].toSorted(),
  )
})

test('a lapsed account is not synced until it is paid for; others are', async () => {
  const linked = await aLinkWith({ nextSyncAt: now, requestedAt: before(hourMs) })
  const { accountId, linkId } = linked.key
  const database = booted.database('feed-sync')
  await subscribe(accountId, now, 2n)
  expect(await dueLinks()).toEqual([])
  expect(await feedSyncs.listUnfinished(database, lost)).toEqual([])
  expect((await linked.health()).nextAttempt).toBeUndefined()
  await subscribe(accountId, new Date(now.getTime() + 1), 3n)
  expect(await dueLinks()).toEqual([linkId])
  expect((await linked.health()).nextAttempt).toBeDefined()
  await subscribe(accountId, null, 4n)
  expect(await dueLinks()).toEqual([linkId])
})

test('an account that is being deleted is not synced', async () => {
  const { key } = await aLinkWith({ nextSyncAt: now })
  await markDeleted(booted.database('feed-sync'), key.accountId)
  expect(await dueLinks()).toEqual([])
})

test('settings arrive in any order: the newest version counts', async () => {
  const { key } = await aLinkWith({ nextSyncAt: now })
  await subscribe(key.accountId, null, 3n)
  const database = booted.database('feed-sync')
  const subject = { accountId: key.accountId, entityId: key.accountId, version: 2n }
  const old = { ...subject, timezone: 'UTC', locale: 'en_US' }
  const lapsed = { ...old, subscriptionActiveUntil: timestampFromDate(before(1)) }
  await database.transaction((tx) =>
    emit(tx, changeOf(AccountSettingsChangedSchema, subject, lapsed)),
  )
  const other = await createLinked(booted)
  await subscribe(other.key.accountId, null)
  expect(await dueLinks()).toEqual([key.linkId])
})

test('a new bank account makes its connection due; a repeated event does not', async () => {
  const linked = await aLinkWith({ nextSyncAt: new Date(now.getTime() + hourMs) })
  const use = await linked.use()
  expect(await stored(linked)).toMatchObject({ nextSyncAt: now })
  await linked.change({ nextSyncAt: null })
  await linked.activate(use)
  expect(await stored(linked)).toMatchObject({ nextSyncAt: null })
})

test('a bank account that is created during a sync is due after it', async () => {
  const linked = await aLinkWith({
    nextSyncAt: before(hourMs),
    syncRunId: 'run_1',
    syncStartedAt: before(1),
  })
  await linked.use()
  expect(await stored(linked)).toMatchObject({ nextSyncAt: now })
})

test('a candidate with another bank account begins without failures', async () => {
  const linked = await createLinked(booted)
  const use = await linked.use()
  await booted.database('feed-sync').pool.query(sql.unsafe`
    UPDATE feed_bank_accounts
    SET last_synced_at = now(), last_whole_at = now(), failures_in_row = 3,
      fault_code = 'status', fault_detail = '500', fault_at = now()`)
  expect((await linked.health()).bankAccounts).toMatchObject([{ failuresInRow: 3 }])
  await linked.activate({ ...use, bankAccountId: newId('bac') })
  const { bankAccounts } = await linked.health()
  expect(bankAccounts).toMatchObject([{ failuresInRow: 0, status: 'active' }])
  expect(bankAccounts[0]?.lastError).toBeUndefined()
  expect(bankAccounts[0]?.lastSuccess).toBeUndefined()
})

test('pending connections are removed a day after their creation, others never', async () => {
  const feedLinks = booted.client('feed-sync', FeedLinkService)
  booted.clock.now = before(dayMs + 1)
  const abandoned = await createLinked(booted, { isPending: true })
  const linked = await createLinked(booted)
  await abandoned.use()
  booted.clock.now = before(dayMs)
  const fresh = await createLinked(booted, { isPending: true })
  booted.clock.now = now
  expect(await run('deleteAbandonedLinks')).toBe(1)
  expect(await run('deleteAbandonedLinks')).toBe(0)
  const exists = async ({ key, as }: Linked) =>
    (await feedLinks.listFeedLinks({ feedLinkIds: [key.feedLinkId] }, as)).feedLinks.length
  expect(await Promise.all([abandoned, linked, fresh].map(exists))).toEqual([0, 1, 1])
  const { pool } = booted.database('feed-sync')
  expect(await pool.any(sql.unsafe`SELECT FROM feed_bank_accounts`)).toEqual([])
  expect(await pool.any(sql.unsafe`SELECT FROM feed_keys`)).toHaveLength(2)
})

test('a connection is deactivated 90 days after its subscription lapsed, not earlier', async () => {
  const linked = await createLinked(booted)
  await linked.use()
  const other = await createLinked(booted)
  await subscribe(linked.key.accountId, before(90 * dayMs))
  expect(await run('deactivateLapsedLinks', [])).toBeNull()
  expect(await stored(linked)).toMatchObject({ status: 'active' })
  await subscribe(linked.key.accountId, before(90 * dayMs + 1), 2n)
  await subscribe(other.key.accountId, null)
  expect(await run('deactivateLapsedLinks', [])).toBeNull()
  expect(await stored(linked)).toMatchObject({ status: 'deactivated', deletedAt: now })
  expect(await stored(other)).toMatchObject({ status: 'active' })
  const { pool } = booted.database('feed-sync')
  expect(await pool.any(sql.unsafe`SELECT FROM feed_bank_accounts`)).toEqual([])
  expect(await pool.any(sql.unsafe`SELECT FROM feed_keys`)).toHaveLength(1)
})

test('the schedules start what they list', async () => {
  const due = await aLinkWith({ nextSyncAt: now })
  const requested = await aLinkWith({ requestedAt: before(hourMs) })
  booted.clock.now = before(2 * dayMs)
  const abandoned = await createLinked(booted, { isPending: true })
  booted.clock.now = now
  for (const type of ['startDueFeedSyncs', 'cleanUpFeedLinks']) {
    const id = newId('sweep')
    await booted.workflows.start({ type, id, args: [] })
    await booted.workflows.client.workflow.getHandle(`${booted.prefix}/workflows/${id}`).result()
  }
  for (const { key } of [due, requested]) {
    const id = `${booted.prefix}/workflows/feed-sync/${key.linkId}`
    const { type } = await booted.workflows.client.workflow.getHandle(id).describe()
    expect(type).toBe('syncFeedLink')
  }
  await expect(stored(abandoned)).rejects.toThrow('was deleted')
})
