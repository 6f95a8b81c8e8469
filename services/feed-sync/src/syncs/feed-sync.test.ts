import { dayMs, hourMs } from '@coffer/kit/values/time'
import { expect, test } from '@jest/globals'
import { activateFeedLink, createFeedLink } from '../links/feed-link.ts'
import {
  beginSync,
  endSync,
  type FeedSync,
  jitterMsOf,
  requestSync,
  type SyncOutcome,
} from './feed-sync.ts'

const minuteMs = 60_000
const start = new Date('2026-03-01T10:00:00Z')
const after = (ms: number, from = start) => new Date(from.getTime() + ms)
const pending: FeedSync = {
  ...createFeedLink(
    { feedLinkId: 'lfx_1', name: 'Home', feedUrl: 'https://feed.example/v1', apiKey: 'abc' },
    { accountId: 'acct_1', createdBy: 'u', allowedUrls: ['https://feed.example/v1'], now: start },
  ),
  requestedAt: null,
  nextSyncAt: null,
  syncRunId: null,
  syncStartedAt: null,
  syncIsManual: false,
  failuresInRow: 0,
  faultAt: null,
  addedCount: 0,
  changedCount: 0,
  matchedCount: 0,
  removedCount: 0,
  skippedCount: 0,
}
const active: FeedSync = { ...pending, ...activateFeedLink(pending, 'link_1', start) }
const due: FeedSync = { ...active, nextSyncAt: start }
const deactivated: FeedSync = { ...due, status: 'deactivated', deletedAt: start }
const tally = { added: 5, changed: 4, matched: 3, removed: 2, skipped: 1 }
const complete: SyncOutcome = { kind: 'complete', tally }
const noFault = { faultCode: null, faultDetail: null, faultAt: null }
const noRun = { syncRunId: null, syncStartedAt: null, syncIsManual: false }
const user = { now: start, isOperator: false }
const afterSync = 6 * hourMs + jitterMsOf('link_1')

function begun(sync: FeedSync, now = start, runId = 'run_1'): FeedSync {
  const begin = beginSync(sync, { now, runId })
  if (!begin) throw new Error('nothing to do')
  return begin.sync
}

function ended(sync: FeedSync, outcome: SyncOutcome, now = start): FeedSync {
  return endSync(sync, { now, runId: 'run_1', outcome })
}

test.each([
  [active, { lastManualSync: start, requestedAt: start, status: 'active' }],
  [
    { ...active, status: 'error' as const },
    { requestedAt: start, status: 'error' },
  ],
])('a request of a user is stored: %#', (sync, stored) => {
  expect(requestSync(sync, user)).toMatchObject(stored)
})

test.each([
  [deactivated, 'the feed link is deactivated'],
  [pending, 'the feed link is pending: create a link with it'],
])('a request is refused: %#', (sync, text) => {
  for (const isOperator of [false, true]) {
    expect(() => requestSync(sync, { now: start, isOperator })).toThrow(text)
  }
})

test.each([
  [29 * minuteMs, 60],
  [30 * minuteMs - 1, 1],
  [0, 1800],
  [-1, 1801],
])('a second request %i ms after the first waits %i s', (ms, retryAfterSeconds) => {
  const requested = requestSync(active, user)
  const again = () => requestSync(requested, { now: after(ms), isOperator: false })
  expect(again).toThrow(
    expect.objectContaining({
      details: [{ desc: expect.anything(), value: expect.objectContaining({ retryAfterSeconds }) }],
    }),
  )
})

test('a second request exactly 30 minutes after the first is allowed', () => {
  const now = after(30 * minuteMs)
  const again = requestSync(requestSync(active, user), { now, isOperator: false })
  expect(again).toMatchObject({ lastManualSync: now, requestedAt: now })
})

test('the request of an operator has no limit, and leaves that of the user', () => {
  const requested = requestSync(active, user)
  const now = after(1)
  expect(requestSync(requested, { now, isOperator: true })).toMatchObject({
    lastManualSync: start,
    requestedAt: now,
  })
})

test.each([
  ['pending', { ...pending, requestedAt: start, nextSyncAt: start }],
  ['deactivated', { ...deactivated, requestedAt: start }],
  ['never scheduled', active],
  ['not yet due', { ...active, nextSyncAt: after(1) }],
  ['with an error, and due', { ...due, status: 'error' as const }],
])('a connection that is %s begins no sync', (_kind, sync) => {
  expect(beginSync(sync, { now: start, runId: 'run_1' })).toBeNull()
})

test.each([
  ['due', due, false],
  ['requested', requestSync(active, user), true],
  ['requested and due', requestSync(due, user), true],
  ['requested with an error', requestSync({ ...active, status: 'error' }, user), true],
])('a connection that is %s begins a sync', (_kind, before, isManual) => {
  const begin = beginSync(before, { now: start, runId: 'run_1' })
  expect(begin).toEqual({
    sync: {
      ...before,
      requestedAt: null,
      syncRunId: 'run_1',
      syncStartedAt: start,
      syncIsManual: isManual,
      lastAttemptedUpdate: start,
      updatedAt: start,
    },
    isManual,
  })
})

test.each([
  ['scheduled', due, false],
  ['manual', requestSync(active, user), true],
])('a repeated begin of a %s sync changes nothing', (_kind, before, isManual) => {
  const sync = begun(before)
  expect(beginSync(sync, { now: after(1), runId: 'run_1' })).toEqual({ sync, isManual })
})

test.each([
  ['scheduled', { ...due, nextSyncAt: after(-hourMs) }, false],
  ['manual', requestSync(active, user), true],
])('a lost %s sync is begun again', (_kind, before, isManual) => {
  const again = beginSync(begun(before), { now: after(hourMs), runId: 'run_2' })
  expect(again).toMatchObject({ sync: { syncRunId: 'run_2' }, isManual })
})

test('a request during a sync begins another', () => {
  const requested = requestSync(begun(due), user)
  expect(beginSync(ended(requested, complete), { now: start, runId: 'run_2' })).toMatchObject({
    isManual: true,
  })
})

test.each(['active', 'error'] as const)(
  'a complete sync makes a connection %s active',
  (status) => {
    const failing = { status, failuresInRow: 6, faultCode: 'status' as const, faultAt: start }
    const sync = begun(requestSync({ ...active, ...failing }, user))
    expect(ended(sync, complete, after(1))).toEqual({
      ...sync,
      ...noRun,
      ...noFault,
      status: 'active',
      nextSyncAt: after(1 + afterSync),
      lastSuccessfulUpdate: after(1),
      updatedAt: after(1),
      failuresInRow: 0,
      addedCount: 5,
      changedCount: 4,
      matchedCount: 3,
      removedCount: 2,
      skippedCount: 1,
    })
  },
)

test('a bank account that is created during a sync is synced at once', () => {
  const sync = { ...begun(due), nextSyncAt: after(1) }
  expect(ended(sync, complete, after(2)).nextSyncAt).toEqual(after(1))
})

test('the spread of the links is up to 20 minutes, and that of a link never changes', () => {
  const spread = Array.from({ length: 100 }, (_, n) => jitterMsOf(`link_${n}`))
  expect(new Set(spread).size).toBe(100)
  for (const ms of spread) expect(ms >= 0 && ms < 20 * minuteMs).toBe(true)
  expect(jitterMsOf('link_1')).toBe(spread[1])
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
  const sixth = ended(begun(requestSync(fifth, user)), { kind: 'failed' })
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

test.each([
  [90_000, 90_000],
  [0, 0],
  [2 * dayMs, dayMs],
])('a provider that asks to wait %i ms postpones the sync by %i ms', (untilMs, ms) => {
  const sync = begun({ ...due, failuresInRow: 3 })
  expect(ended(sync, { kind: 'postponed', untilMs })).toMatchObject({
    ...noRun,
    status: 'active',
    failuresInRow: 3,
    faultCode: 'rate-limited',
    faultDetail: '429',
    faultAt: start,
    nextSyncAt: after(ms),
    requestedAt: null,
  })
})

test('a postponed sync keeps the words of its fault', () => {
  const said = { faultCode: 'rate-limited' as const, faultDetail: '429: slower' }
  const sync = { ...begun(due), ...said }
  expect(ended(sync, { kind: 'postponed', untilMs: 1 })).toMatchObject(said)
})

test.each([
  ['scheduled', due, null],
  ['manual', requestSync({ ...active, status: 'error' }, user), after(1)],
])('a %s sync that could not be finished is repeated', (_kind, before, requestedAt) => {
  const { status } = before
  expect(ended(begun(before), { kind: 'unfinished' }, after(1))).toMatchObject({
    ...noRun,
    status,
    failuresInRow: 0,
    faultCode: 'internal',
    nextSyncAt: after(1 + 10 * minuteMs),
    requestedAt,
  })
})

test('a sync of a deleted link schedules none', () => {
  expect(ended(begun(due), { kind: 'gone' })).toMatchObject({
    ...noRun,
    status: 'active',
    nextSyncAt: null,
  })
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

test('the end of a sync changes nothing once another has begun, or when it is repeated', () => {
  const other = begun(due, start, 'run_2')
  expect(ended(other, complete)).toBe(other)
  const once = ended(begun(due), complete)
  expect(ended(once, { kind: 'failed' }, after(1))).toBe(once)
})
