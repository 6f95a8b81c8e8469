import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { boot } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import { Code } from '@connectrpc/connect'
import { afterEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { endCandidateSync } from '../src/candidates/feed-bank-account.ts'
import { releaseConnection } from '../src/links/feed-link.activities.ts'
import { feedSync } from '../src/service.ts'
import {
  listCandidatesInUse,
  lockCandidateSync,
  saveCandidateSync,
  storeCandidateFault,
  storeLinkFault,
} from '../src/syncs/feed-sync.sql.ts'
import { readSync, requestByOperator } from '../src/syncs/operator.service.ts'
import { createLinked, feedUrl, type Linked } from './feed-links.ts'

const now = new Date('2026-03-01T10:00:00Z')
const at = timestampFromDate(now)
const requested = 'coffer.feedsync.v1.FeedSyncRequested'

const booted = started(() => boot([feedSync], { COFFER_FEED_ALLOWED_URLS: feedUrl }))

afterEach(() => {
  booted.clock.now = null
})

const stored = ({ key }: Linked) => readSync(booted.database('feed-sync'), key)
const changes = ({ key }: Linked) => booted.changes('feed-sync', key.accountId)

test('a request is stored and emitted; a second one within 30 minutes is refused', async () => {
  const linked = await createLinked(booted)
  booted.clock.now = now
  await linked.request()
  expect(await stored(linked)).toMatchObject({ requestedAt: now, lastManualSync: now })
  expect(await changes(linked)).toEqual([requested])
  await expect(linked.request()).rejects.toMatchObject({
    code: Code.FailedPrecondition,
    rawMessage: 'link has been manually synced too recently: repeat after Retry-After',
  })
  expect(await changes(linked)).toEqual([requested])
})

test('of ten concurrent requests one is stored', async () => {
  const linked = await createLinked(booted)
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => linked.request()))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await changes(linked)).toEqual([requested])
})

test('pending and deactivated connections, and those of other links, are refused', async () => {
  const feedSyncs = booted.client('feed-sync', FeedSyncService)
  const pending = await createLinked(booted, { isPending: true })
  await expect(pending.request()).rejects.toMatchObject({ code: Code.FailedPrecondition })
  const linked = await createLinked(booted)
  const { key, as } = linked
  const missing = { code: Code.NotFound }
  const other = { ...key, linkId: newId('link') }
  await expect(feedSyncs.requestFeedSync(other, as)).rejects.toMatchObject(missing)
  const stranger = booted.as(newId('acct'))
  await expect(feedSyncs.requestFeedSync(key, stranger)).rejects.toMatchObject(missing)
  await expect(feedSyncs.getHealth(key, stranger)).rejects.toMatchObject(missing)
  await releaseConnection({ database: booted.database('feed-sync'), clock: () => now }, key)
  await expect(linked.request()).rejects.toMatchObject({ code: Code.FailedPrecondition })
  expect(await linked.health()).toMatchObject({ status: 'deactivated', isSyncing: false })
})

test('an operator requests a sync of any link, whenever the last one was', async () => {
  const linked = await createLinked(booted)
  const { linkId } = linked.key
  const database = booted.database('feed-sync')
  expect(await requestByOperator(database, newId('link'), now)).toBeNull()
  await linked.request()
  expect(await requestByOperator(database, linkId, now)).toEqual(linked.key)
  expect(await stored(linked)).toMatchObject({ requestedAt: now })
  expect(await changes(linked)).toEqual([requested, requested])
})

test('the health of a connection begins empty', async () => {
  const linked = await createLinked(booted)
  expect(await linked.health()).toEqual({
    $typeName: 'coffer.sync.v1.SyncHealth',
    linkId: linked.key.linkId,
    linkType: '',
    status: 'active',
    isSyncing: false,
    failuresInRow: 0,
    bankAccounts: [],
  })
})

test('a gateway of 0.2 gets the same health', async () => {
  const linked = await createLinked(booted)
  await linked.use()
  const { $typeName: _, ...health } = await linked.health()
  const feedSyncs = booted.client('feed-sync', FeedSyncService)
  const former = await feedSyncs.getSyncHealth(linked.key, linked.as)
  const used = health.bankAccounts.map(({ bankAccountId }) => ({ bankAccountId }))
  expect(former.health).toEqual({
    ...health,
    $typeName: former.health?.$typeName,
    bankAccounts: used.map((one) => expect.objectContaining(one)),
  })
})

test('health has the times, the numbers and the fault of the last sync', async () => {
  const linked = await createLinked(booted)
  const fault = { code: 'key-refused' as const, detail: 'no such key', retryAfterMs: null }
  const run = { ...linked.key, runId: 'run_1' }
  await linked.change({
    syncRunId: 'run_1',
    nextSyncAt: now,
    lastAttemptedUpdate: now,
    lastSuccessfulUpdate: now,
    failuresInRow: 2,
    addedCount: 7,
  })
  await storeLinkFault(booted.database('feed-sync'), { ...run, runId: 'run_0' }, { fault, now })
  expect((await linked.health()).lastError).toBeUndefined()
  await storeLinkFault(booted.database('feed-sync'), run, { fault, now })
  expect(await linked.health()).toMatchObject({
    isSyncing: true,
    lastAttempt: at,
    lastSuccess: at,
    nextAttempt: at,
    failuresInRow: 2,
    lastError: {
      code: 'key-refused',
      text: 'the feed provider refused the API key: no such key',
      advice: expect.stringContaining('Check at the provider'),
      at,
    },
    lastArrival: { added: 7, removed: 0 },
  })
  const feedLinks = booted.client('feed-sync', FeedLinkService)
  const error = async () => (await feedLinks.getFeedLink(linked.key, linked.as)).feedLink?.error
  expect(await error()).toBeUndefined()
  await linked.change({ status: 'error' })
  expect(await error()).toBe('the feed provider refused the API key: no such key')
  expect((await linked.health()).nextAttempt).toBeUndefined()
})

test('the fault of a bank account is shown, and explains that of its connection', async () => {
  const linked = await createLinked(booted)
  const { feedBankAccountId, bankAccountId } = await linked.use()
  await linked.change({ syncRunId: 'run_1' })
  const database = booted.database('feed-sync')
  const candidate = { accountId: linked.key.accountId, feedBankAccountId }
  const run = { ...linked.key, ...candidate, bankAccountId, runId: 'run_1', isManual: false }
  const fault = { code: 'account-missing' as const, detail: '', retryAfterMs: null }
  await storeCandidateFault(database, run, { fault, now })
  await database.transaction(async (tx) => {
    const before = await lockCandidateSync(tx, candidate)
    if (!before) throw new Error('no candidate')
    const end = { runId: 'run_1', isManual: false, isComplete: false, isWhole: false, now }
    await saveCandidateSync(tx, endCandidateSync(before, end))
  })
  const lastError = { code: 'account-missing', at }
  expect(await linked.health()).toMatchObject({
    lastError,
    bankAccounts: [
      {
        bankAccountId,
        feedBankAccountId,
        status: 'active',
        feedStatus: 'ACTIVE',
        failuresInRow: 1,
        lastError,
        syncCount: 1n,
      },
    ],
  })
  expect(await listCandidatesInUse(database, linked.key)).toMatchObject([{ bankAccountId }])
})

test('a code of a newer version is shown as internal', async () => {
  const linked = await createLinked(booted)
  await linked.change({ status: 'error', faultAt: now })
  await booted.database('feed-sync').pool.query(sql.unsafe`
    UPDATE feed_links SET fault_code = 'moon-phase' WHERE account_id = ${linked.key.accountId}`)
  expect((await linked.health()).lastError?.code).toBe('internal')
  const feedLinks = booted.client('feed-sync', FeedLinkService)
  const { feedLink } = await feedLinks.getFeedLink(linked.key, linked.as)
  expect(feedLink?.error).toBe('the server could not finish the sync')
})

test('while the feed is disabled, no sync is started and no connection removed', async () => {
  const due = await createLinked(booted)
  await due.change({ nextSyncAt: now, requestedAt: now })
  const { activities, schedules, formerSchedules } = booted.host.services['feed-sync'] ?? {}
  expect(await activities?.startDueSyncs?.([])).toBeNull()
  expect(await activities?.restartSyncs?.([])).toBeNull()
  expect(await activities?.deleteAbandonedLinks?.()).toBe(0)
  expect(await activities?.deactivateLapsedLinks?.([])).toBeNull()
  expect(schedules).toEqual([])
  expect(formerSchedules).toEqual(['feed-sync-due', 'feed-link-clean-up'])
})
