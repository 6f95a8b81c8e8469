import { dayMs, hourMs } from '@coffer/kit/values/time'
import { type SyncOutcome, SyncState } from '@coffer/sync-kit/syncs/sync-state'
import { idleSync } from '@coffer/sync-kit/testing/idle-sync'
import { expect, test } from '@jest/globals'
import { activateFeedLink, createFeedLink } from '../connections/feed-link.ts'
import {
  beginFeedSync,
  endFeedSync,
  FeedSync,
  isStopped,
  type LastFault,
  lacksMost,
  nextAttemptOf,
  requestFeedSync,
} from './feed-sync.ts'

const minuteMs = 60_000
const start = new Date('2026-03-01T10:00:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)
const pending: FeedSync = {
  ...idleSync,
  ...createFeedLink(
    { feedLinkId: 'lfx_1', name: 'Home', feedUrl: 'https://feed.example/v1', apiKey: 'abc' },
    { accountId: 'acct_1', createdBy: 'u', allowedUrls: ['https://feed.example/v1'], now: start },
  ),
}
const active: FeedSync = { ...pending, ...activateFeedLink(pending, 'link_1', start) }
const due: FeedSync = { ...active, nextSyncAt: start }
const deactivated: FeedSync = { ...due, status: 'deactivated', deletedAt: start }
const tally = { added: 5, changed: 4, matched: 3, removed: 2, skipped: 1 }
const complete: SyncOutcome = { kind: 'complete', tally }
const noFault = { faultCode: null, faultDetail: null, faultAt: null }
const noRun = { syncRunId: null, syncStartedAt: null, syncIsManual: false }
const user = { now: start, by: 'user' as const }

function begun(sync: FeedSync, now = start): FeedSync {
  const begin = beginFeedSync(sync, { now, runId: 'run_1' })
  if (!begin) throw new Error('nothing to do')
  return begin.sync
}

function ended(
  sync: FeedSync,
  outcome: SyncOutcome,
  now = start,
  used: readonly LastFault[] = [],
): FeedSync {
  return endFeedSync(sync, { now, runId: 'run_1', outcome, used })
}

test('a connection has every field of the state of syncs', () => {
  expect(Object.keys(FeedSync.shape)).toEqual(expect.arrayContaining(Object.keys(SyncState.shape)))
  expect(FeedSync.parse({ ...active, faultCode: 'of a newer version' }).faultCode).toBe('internal')
})

test.each([
  [active, { lastManualSync: start, requestedAt: start, status: 'active' }],
  [
    { ...active, status: 'error' as const },
    { requestedAt: start, status: 'error' },
  ],
])('a request of a user is stored: %#', (sync, stored) => {
  expect(requestFeedSync(sync, user)).toMatchObject(stored)
})

test.each([
  [deactivated, 'the feed link is deactivated: create a new connection'],
  [pending, 'the feed link is pending: create a link with it'],
])('a request is refused: %#', (sync, text) => {
  for (const by of ['user', 'operator'] as const) {
    expect(() => requestFeedSync(sync, { now: start, by })).toThrow(text)
  }
})

test.each([
  ['pending', { ...pending, requestedAt: start, nextSyncAt: start }],
  ['deactivated', { ...deactivated, requestedAt: start }],
  ['deactivated during a sync', { ...begun(due), status: 'deactivated' as const }],
  ['never scheduled', active],
  ['with an error, and due', { ...due, status: 'error' as const }],
])('a connection that is %s begins no sync', (_kind, sync) => {
  expect(beginFeedSync(sync, { now: start, runId: 'run_1' })).toBeNull()
})

test.each([
  ['due', due, false],
  ['requested', requestFeedSync(active, user), true],
  ['requested with an error', requestFeedSync({ ...active, status: 'error' }, user), true],
])('a connection that is %s begins a sync', (_kind, before, isManual) => {
  const begin = beginFeedSync(before, { now: start, runId: 'run_1' })
  expect(begin).toMatchObject({ sync: { status: before.status, syncRunId: 'run_1' }, isManual })
})

test.each(['active', 'error'] as const)(
  'a complete sync makes a connection %s active',
  (status) => {
    const failing = { status, failuresInRow: 6, faultCode: 'status' as const, faultAt: start }
    const sync = ended(begun(requestFeedSync({ ...active, ...failing }, user)), complete)
    expect(sync).toMatchObject({ ...noRun, ...noFault, status: 'active', failuresInRow: 0 })
    const earliest = after(6 * hourMs)
    expect(sync.nextSyncAt! >= earliest).toBe(true)
    expect(sync.nextSyncAt! < after(6 * hourMs + 20 * minuteMs)).toBe(true)
  },
)

test('the last fault of a bank account in use remains as that of its connection', () => {
  const faultOf = (faultCode: 'currency' | 'disconnected', ms: number) => {
    return { faultCode, faultDetail: faultCode, faultAt: after(ms) }
  }
  const last = faultOf('disconnected', 2)
  const used = [noFault, faultOf('currency', 1), last, noFault]
  const limited = { faultCode: 'rate-limited' as const, faultDetail: '429', faultAt: after(3) }
  const sync = begun({ ...due, ...limited })
  const of = (outcome: SyncOutcome) => ended(sync, outcome, after(4), used)
  expect(of(complete)).toMatchObject({ ...last, lastSuccessfulUpdate: after(4) })
  const unsynced = of({ kind: 'unsynced' })
  expect(unsynced).toMatchObject({ ...last, lastSuccessfulUpdate: null, failuresInRow: 0 })
  expect(unsynced.nextSyncAt).toEqual(of(complete).nextSyncAt)
  expect(of({ kind: 'failed' })).toMatchObject(limited)
})

test.each([
  ['active', 'active', null, false],
  ['active', 'error', null, true],
  ['error', 'active', null, true],
  ['error', 'error', start, false],
] as const)('%s with a candidate %s, requested for %p: stopped is %p', (status, own, at, is) => {
  expect(isStopped({ status, requestedAt: at }, { status: own })).toBe(is)
})

test.each([
  [null, null, 'active', null],
  [start, null, 'active', start],
  [start, null, 'error', null],
  [start, after(1), 'active', start],
  [start, after(1), 'error', after(1)],
  [after(2), after(1), 'active', after(1)],
] as const)('due at %p, requested for %p and %s, next is: %#', (nextSyncAt, at, status, next) => {
  expect(nextAttemptOf({ ...active, status, nextSyncAt, requestedAt: at })).toEqual(next)
})

test('two links are due at different times after their syncs', () => {
  const other = ended(begun({ ...due, linkId: 'link_2' }), complete)
  expect(ended(begun(due), complete).nextSyncAt).not.toEqual(other.nextSyncAt)
})

test.each([
  [0, 10 * minuteMs],
  [1, hourMs],
  [2, 6 * hourMs],
  [3, 18 * hourMs],
])('after %i failures another one pauses syncs for %i ms', (failuresInRow, pauseMs) => {
  const sync = begun({ ...due, failuresInRow })
  expect(ended(sync, { kind: 'failed' })).toEqual({
    ...sync,
    ...noRun,
    failuresInRow: failuresInRow + 1,
    nextSyncAt: after(pauseMs),
  })
})

test('the fifth failure, and each manual one after it, ends the schedule', () => {
  const fifth = ended(begun({ ...due, failuresInRow: 4 }), { kind: 'failed' })
  expect(fifth).toMatchObject({ status: 'error', failuresInRow: 5, nextSyncAt: null, ...noRun })
  const sixth = ended(begun(requestFeedSync(fifth, user)), { kind: 'failed' })
  expect(sixth).toMatchObject({ status: 'error', failuresInRow: 6, nextSyncAt: null, ...noRun })
})

test('a provider that is away for a day leaves the connection active', () => {
  let sync = due
  let now = start
  while (now < after(dayMs)) {
    sync = ended(begun(sync, now), { kind: 'failed' }, now)
    now = sync.nextSyncAt ?? after(2 * dayMs)
  }
  expect(sync).toMatchObject({ status: 'active', failuresInRow: 4 })
  expect(ended(begun(sync, now), complete, now)).toMatchObject({ failuresInRow: 0, ...noFault })
})

test.each<SyncOutcome>([
  { kind: 'postponed', untilMs: 1 },
  { kind: 'unfinished' },
  { kind: 'unsynced' },
  { kind: 'gone' },
])('a connection keeps its status after a sync that did not fail: %j', (outcome) => {
  for (const status of ['active', 'error'] as const) {
    const sync = begun(requestFeedSync({ ...active, status }, user))
    expect(ended(sync, outcome)).toMatchObject({ ...noRun, status, failuresInRow: 0 })
  }
})

test.each<SyncOutcome>([
  complete,
  { kind: 'failed' },
  { kind: 'postponed', untilMs: 1 },
  { kind: 'unfinished' },
])('a connection that ended during its sync remains deactivated: %j', (outcome) => {
  const sync: FeedSync = { ...begun(due), status: 'deactivated', deletedAt: start }
  expect(ended(sync, outcome)).toEqual({ ...sync, ...noRun, nextSyncAt: null })
})

test('the end of a sync changes nothing when it is repeated', () => {
  const once = ended(begun(due), complete)
  expect(ended(once, { kind: 'failed' }, after(1))).toBe(once)
})

test.each([
  [100, 120, false],
  [101, 120, true],
  [101, 202, false],
  [102, 203, true],
])('of a list that lacks %d of %d known transactions: most are missing: %s', (...counts) => {
  const [missing, known, isMost] = counts
  expect(lacksMost(missing, known)).toBe(isMost)
})
