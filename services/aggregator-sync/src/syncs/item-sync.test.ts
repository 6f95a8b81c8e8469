import { dayMs, hourMs } from '@coffer/kit/values/time'
import { describe, expect, test } from '@jest/globals'
import { anItemSync } from '../../test/aggregator-links.ts'
import {
  beginItemSync,
  endItemSync,
  endWindow,
  type ItemOutcome,
  type ItemSync,
  requestItemSync,
} from './item-sync.ts'

const now = new Date('2026-03-01T10:00:00Z')
const minuteMs = 60_000
const after = (ms: number) => new Date(now.getTime() + ms)
const tally = { added: 1, changed: 2, matched: 3, removed: 4, skipped: 5 }

const link = anItemSync({
  createdAt: after(-2 * dayMs),
  updatedAt: after(-dayMs),
  nextSyncAt: after(-2 * minuteMs),
  syncCount: 7n,
})

const running = (change: Partial<ItemSync> = {}): ItemSync => ({
  ...link,
  syncRunId: 'run/1',
  syncStartedAt: after(-minuteMs),
  ...change,
})

const end = (outcome: ItemOutcome, change: Partial<ItemSync> = {}, isAnnounced = false) =>
  endItemSync(running(change), { now, runId: 'run/1', outcome, isAnnounced })

/** Pause until the next sync in ms; null if none is scheduled. */
const pauseOf = ({ nextSyncAt }: ItemSync) => nextSyncAt && nextSyncAt.getTime() - now.getTime()

describe('a request', () => {
  test.each<[ItemSync['status'], boolean, boolean]>([
    ['creating', false, false],
    ['pending', false, true],
    ['setup', true, true],
    ['error', true, true],
    ['pending_expiration', false, true],
    ['revoked', false, true],
    ['deactivated', false, false],
    ['unknown', false, true],
  ])('of a link that is %s: user %s, service %s', (status, byUser, byService) => {
    const request = (by: 'user' | 'service') => () =>
      requestItemSync({ ...link, status }, { now, by }).requestedAt
    for (const [by, isAccepted] of [
      ['user', byUser],
      ['service', byService],
    ] as const) {
      if (isAccepted) expect(request(by)()).toEqual(now)
      else expect(request(by)).toThrow()
    }
  })

  test('of a user is refused within 30 minutes of the last one', () => {
    const recent = { ...link, lastManualSync: after(-30 * minuteMs + 1) }
    expect(() => requestItemSync(recent, { now, by: 'user' })).toThrow('too recently')
    const enough = { ...link, lastManualSync: after(-30 * minuteMs) }
    expect(requestItemSync(enough, { now, by: 'user' }).lastManualSync).toEqual(now)
    expect(requestItemSync(recent, { now, by: 'service' }).requestedAt).toEqual(now)
  })
})

describe('the last days', () => {
  const begun = (sync: ItemSync, at = now) => {
    const begun = beginItemSync(sync, { now: at, runId: 'run/2' })
    if (!begun) throw new Error('nothing to do')
    return begun
  }

  test.each([
    [['user'], true],
    [['operator'], true],
    [['service'], false],
    [['service', 'user'], true],
    [['user', 'service'], true],
  ] as const)('of a sync that %j requested are read: %j', (requesters, hasWindow) => {
    const requested = requesters.reduce((sync, by) => requestItemSync(sync, { now, by }), link)
    expect(begun(requested)).toMatchObject({ isManual: true, hasWindow })
  })

  test('wait for the next sync if they are requested during one', () => {
    const { sync } = begun(requestItemSync(link, { now, by: 'service' }))
    const requested = requestItemSync(sync, { now: after(1), by: 'user' })
    const again = begun(requested, after(1))
    expect(again).toMatchObject({ hasWindow: false })
    expect(endWindow(again.sync).windowRequestedAt).toEqual(after(1))
    const outcome = { kind: 'complete', tally } as const
    const ended = endItemSync(again.sync, { now, runId: 'run/2', outcome, isAnnounced: true })
    const next = beginItemSync(ended, { now: after(1), runId: 'run/3' })
    expect(next).toMatchObject({ isManual: true, hasWindow: true })
  })

  test('are read once, by the sync that gets that far', () => {
    const { sync } = begun(requestItemSync(link, { now, by: 'user' }))
    const failed = endItemSync(sync, {
      now,
      runId: 'run/2',
      outcome: { kind: 'failed' },
      isAnnounced: true,
    })
    const later = begun(requestItemSync(failed, { now: after(1), by: 'service' }), after(1))
    expect(later.hasWindow).toBe(true)
    expect(endWindow(later.sync).windowRequestedAt).toBeNull()
  })
})

describe('a begin', () => {
  test.each<[string, Partial<ItemSync>, { isManual: boolean } | null]>([
    ['due', {}, { isManual: false }],
    ['pending and due', { status: 'pending' }, { isManual: false }],
    ['requested', { nextSyncAt: null, requestedAt: now }, { isManual: true }],
    ['not due', { nextSyncAt: after(1) }, null],
    ['revoked and due', { status: 'revoked' }, null],
    ['revoked and requested', { status: 'revoked', requestedAt: now }, { isManual: true }],
    ['creating', { status: 'creating', requestedAt: now }, null],
    ['deactivated', { status: 'deactivated', requestedAt: now }, null],
  ])('of a link that is %s', (_name, change, expected) => {
    const begun = beginItemSync({ ...link, ...change }, { now, runId: 'run/2' })
    expect(begun && { isManual: begun.isManual }).toEqual(expected)
    if (begun) expect(begun.sync).toMatchObject({ syncRunId: 'run/2', requestedAt: null })
  })
})

describe('an end', () => {
  test.each([
    [true, 48],
    [false, 12],
  ])('with webhooks %s is followed by a sync after %d hours', (isAnnounced, hours) => {
    const ended = end({ kind: 'complete', tally }, {}, isAnnounced)
    const pauseMs = pauseOf(ended) ?? 0
    expect(pauseMs).toBeGreaterThanOrEqual(hours * hourMs)
    expect(pauseMs).toBeLessThan(hours * hourMs + 20 * minuteMs)
    expect(ended).toMatchObject({ addedCount: 1, skippedCount: 5, syncRunId: null, syncCount: 8n })
    expect(ended.lastSuccessfulUpdate).toEqual(now)
  })

  test.each<[ItemOutcome['kind'], ItemSync['status'], ItemSync['status']]>([
    ['complete', 'pending', 'setup'],
    ['partial', 'pending', 'setup'],
    ['complete', 'pending_expiration', 'pending_expiration'],
    ['complete', 'error', 'error'],
    ['early', 'pending', 'pending'],
    ['failed', 'pending', 'pending'],
    ['failed', 'setup', 'setup'],
    ['unfinished', 'pending', 'pending'],
  ])('%s leaves a link that is %s as %s', (kind, status, expected) => {
    const outcome = { kind, tally, code: 'not-ready' } as ItemOutcome
    expect(end(outcome, { status }).status).toBe(expected)
  })

  test.each<[string, ItemOutcome, Partial<ItemSync>, number]>([
    ['read again at once', { kind: 'complete', tally }, { incompleteSince: now }, 10 * minuteMs],
    ['read for a day', { kind: 'complete', tally }, { incompleteSince: after(-dayMs) }, 6 * hourMs],
    ['passed', { kind: 'complete', tally }, { rereadAt: after(3 * hourMs) }, 3 * hourMs],
    ['of a young link', { kind: 'partial', tally }, { incompleteSince: now }, 10 * minuteMs],
  ])('with unreadable rows that are %s says so, and comes sooner', (_, outcome, state, pauseMs) => {
    const ended = end(outcome, { ...state, faultCode: 'upstream', failuresInRow: 1 }, true)
    expect(ended).toMatchObject({ faultCode: 'rows-unreadable', faultAt: now, failuresInRow: 0 })
    expect([ended.status, pauseOf(ended)]).toEqual(['setup', pauseMs])
  })

  test.each([
    [0, minuteMs],
    [7 * minuteMs, 7 * minuteMs],
    [5 * hourMs, hourMs],
  ])('before the transactions are ready, %d ms after the creation, waits %d ms', (age, pause) => {
    const createdAt = after(-age)
    const early = end({ kind: 'early', code: 'not-ready' }, { createdAt, failuresInRow: 2 })
    expect(pauseOf(early)).toBe(pause)
    expect(early).toMatchObject({ faultCode: 'not-ready', failuresInRow: 2, requestedAt: null })
    const partial = end({ kind: 'partial', tally }, { createdAt })
    expect(pauseOf(partial)).toBe(pause)
    expect(partial).toMatchObject({ faultCode: null, addedCount: 1 })
  })

  test('a day after the creation, a history that stays partial is read as usual', () => {
    const createdAt = after(-dayMs)
    expect(pauseOf(end({ kind: 'partial', tally }, { createdAt }))).toBeGreaterThan(hourMs)
  })

  test('during changes waits a minute', () => {
    const early = end({ kind: 'early', code: 'mutated' }, { syncIsManual: true })
    expect([pauseOf(early), early.requestedAt]).toEqual([minuteMs, null])
  })

  test.each([
    [0, 10 * minuteMs],
    [1, hourMs],
    [2, 6 * hourMs],
    [3, 18 * hourMs],
    [4, dayMs],
    [99, dayMs],
  ])('of a failure after %d others waits %d ms, without an end', (failuresInRow, pause) => {
    const failed = end({ kind: 'failed' }, { failuresInRow })
    expect([pauseOf(failed), failed.status]).toEqual([pause, 'setup'])
  })

  test('looks once a day after a link whose user must act, never after a revoked one', () => {
    expect(pauseOf(end({ kind: 'failed' }, { status: 'error' }))).toBe(dayMs)
    expect(pauseOf(end({ kind: 'failed' }, { status: 'revoked' }))).toBeNull()
  })

  test('of another run, or a second one, changes nothing', () => {
    const other = running({ syncRunId: 'run/2' })
    const of = { now, runId: 'run/1', outcome: { kind: 'failed' }, isAnnounced: false } as const
    expect(endItemSync(other, of)).toBe(other)
  })

  test('of a deleted link schedules nothing', () => {
    const ended = end({ kind: 'complete', tally }, { status: 'deactivated', deletedAt: now })
    expect([pauseOf(ended), ended.status]).toEqual([null, 'deactivated'])
  })

  test('keeps a request that came meanwhile', () => {
    for (const kind of ['complete', 'partial', 'early', 'failed'] as const) {
      const outcome = { kind, tally, code: 'mutated' } as ItemOutcome
      expect(end(outcome, { requestedAt: now }).requestedAt).toEqual(now)
    }
  })
})
