import { createDatabase } from '@coffer/host/database/pool'
import { cloneDatabase } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import type { Database } from '@coffer/kit/database/database'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { type LimitedCall, runLimited } from '../../src/provider/call-limit.service.ts'
import { endCall, findCallCounts, permitCall } from '../../src/provider/call-limit.sql.ts'
import type { LinkKey } from '../../src/provider/call-limit.ts'
import { faultOf, plaidFailure } from '../../src/provider/plaid-fault.ts'
import { aggregatorSync } from '../../src/service.ts'

const stack = new AsyncDisposableStack()
const noon = new Date('2026-03-04T12:00:20Z')
const { signal } = new AbortController()
let replicas: [Database, Database]
let now: Date
let path: string

beforeAll(async () => {
  const { url } = stack.use(await cloneDatabase([aggregatorSync]))
  const { schema } = aggregatorSync
  const limits = { poolSizeMax: 5, statementTimeoutMs: 10_000 }
  const serverClock = () => now
  const open = async () => stack.use(await createDatabase({ url, schema, ...limits, serverClock }))
  replicas = [await open(), await open()]
})

afterAll(async () => {
  await stack.disposeAsync()
})

beforeEach(() => {
  now = noon
  path = `/${newId('t')}`
})

async function createItem(accountId = newId('acct'), linkId = newId('link')): Promise<LinkKey> {
  await replicas[0].pool.query(sql.unsafe`
    INSERT INTO aggregator_links (account_id, link_id, status, institution_name, products,
      created_at, created_by, updated_at)
    VALUES (${accountId}, ${linkId}, 'creating', 'Bank', '{}', now(), 'user_1', now())`)
  return { accountId, linkId }
}

const deps = (replica = 0) => ({ database: replicas[replica] as Database, log: silentLog })
const callOf = (key: LinkKey | null, of: Partial<LimitedCall> & { itemMax?: number } = {}) => {
  const { itemMax = 1_000, ...rest } = of
  const item = key && { ...key, itemMax }
  return { path, clientMax: 1_000, signal, timeoutMs: 30_000, item, ...rest }
}
const run = (key: LinkKey | null, of: Parameters<typeof callOf>[1] = {}, replica = 0) =>
  runLimited(deps(replica), callOf(key, of), async () => 'done')
const limitedFor = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => {
      const fault = faultOf(error)
      if (fault?.code !== 'rate-limited') throw error
      return fault.retryAfterMs
    },
  )
const after = (ms: number) => new Date(noon.getTime() + ms)

test('two replicas never have two calls of an item in flight', async () => {
  const key = await createItem()
  const seen = { now: 0, most: 0, all: 0 }
  const send = async () => {
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate)
    seen.now -= 1
    seen.all += 1
  }
  const calls = Array.from({ length: 8 }, (_, n) => runLimited(deps(n % 2), callOf(key), send))
  await Promise.all(calls)
  expect(seen).toEqual({ now: 0, most: 1, all: 8 })
})

test('calls of different items are in flight at once', async () => {
  const both = Promise.withResolvers<void>()
  let inFlight = 0
  const send = async () => {
    inFlight += 1
    if (inFlight === 2) both.resolve()
    await both.promise
  }
  const keys = [await createItem(), await createItem()]
  await Promise.all(keys.map((key, n) => runLimited(deps(n), callOf(key), send)))
  expect(inFlight).toBe(2)
})

test('an item has a limit by endpoint and minute over all replicas', async () => {
  const key = await createItem()
  const of = { itemMax: 3 }
  for (const replica of [0, 1, 0]) expect(await limitedFor(run(key, of, replica))).toBeNull()
  expect(await limitedFor(run(key, of, 1))).toBe(40_000)
  expect(await limitedFor(run(key, { ...of, path: `${path}/other` }))).toBeNull()
  expect(await limitedFor(run(await createItem(key.accountId), of))).toBeNull()
  expect(await limitedFor(run(await createItem(newId('acct'), key.linkId), of))).toBeNull()
  now = after(40_000)
  expect(await limitedFor(run(key, of, 1))).toBeNull()
  expect(await findCallCounts(replicas[1], key, now)).toEqual({
    today: 5,
    total: 5n,
    limitedUntil: null,
  })
})

test('on a server whose clock is a minute behind, calls count in the same minute', async () => {
  const key = await createItem()
  const of = { itemMax: 2, clientMax: 2 }
  await run(key, of)
  now = after(-60_000)
  await run(key, of, 1)
  expect(await limitedFor(run(key, of, 1))).toBe(100_000)
  now = noon
  expect(await limitedFor(run(key, of))).toBe(40_000)
})

test('an endpoint has a limit for all items, and a refused call is not counted', async () => {
  const keys = await Promise.all(Array.from({ length: 12 }, () => createItem()))
  const waits = await Promise.all(
    keys.map((key, n) => limitedFor(run(key, { clientMax: 5 }, n % 2))),
  )
  expect(waits.filter((wait) => wait === null)).toHaveLength(5)
  expect(waits.filter((wait) => wait === 40_000)).toHaveLength(7)
  const refused = keys[waits.indexOf(40_000)] as LinkKey
  expect(await findCallCounts(replicas[0], refused, now)).toBeNull()
  expect(await limitedFor(run(null, { clientMax: 5 }, 1))).toBe(40_000)
  expect(await limitedFor(run(refused, { clientMax: 5, path: `${path}/other` }))).toBeNull()
})

test('the item of a process that died becomes free when its hold expires', async () => {
  const key = await createItem()
  const dead = { ...key, itemMax: 9, holder: 'dead', heldUntil: after(65_000) }
  const planned = { path, clientMax: 9, now }
  expect(await permitCall(replicas[0], { ...planned, item: dead })).toMatchObject({
    kind: 'permitted',
  })
  const next = { ...dead, holder: 'next', heldUntil: after(130_000) }
  const at = (ms: number) => permitCall(replicas[1], { ...planned, now: after(ms), item: next })
  expect(await at(64_999)).toEqual({ kind: 'busy' })
  expect(await at(65_000)).toMatchObject({ kind: 'permitted' })
  // The dead process wakes up: its release must not end the hold of another one.
  await endCall(replicas[0], dead, { limitedUntil: null })
  const third = { ...dead, holder: 'third', heldUntil: after(190_000) }
  const free = () => permitCall(replicas[0], { ...planned, now: after(70_000), item: third })
  expect(await free()).toEqual({ kind: 'busy' })
  await endCall(replicas[1], next, { limitedUntil: null })
  expect(await free()).toMatchObject({ kind: 'permitted' })
})

test('a call that fails, or is ended by its caller, leaves the item free', async () => {
  const key = await createItem()
  const failing = runLimited(deps(), callOf(key), () => Promise.reject(plaidFailure('no-answer')))
  expect(faultOf(await failing.catch((error) => error))?.code).toBe('no-answer')
  const caller = new AbortController()
  const ended = runLimited(deps(), callOf(key, { signal: caller.signal }), async (stop) => {
    caller.abort(new Error('stopping'))
    stop.throwIfAborted()
  })
  await expect(ended).rejects.toThrow('stopping')
  expect(await run(key)).toBe('done')
})

test('an answer that arrives while the caller ends is not lost', async () => {
  const caller = new AbortController()
  const call = callOf(await createItem(), { signal: caller.signal })
  const sent = runLimited(deps(), call, async () => {
    caller.abort()
    return 'token'
  })
  expect(await sent).toBe('token')
})

test('a call waits for the item until its timeout, or until its caller ends', async () => {
  const key = await createItem()
  const held = Promise.withResolvers<void>()
  const first = runLimited(deps(), callOf(key), () => held.promise)
  const isHeld = async () => (await findCallCounts(replicas[0], key, now)) !== null
  while (!(await isHeld()));
  await expect(run(key, { timeoutMs: 300 }, 1)).rejects.toThrow('another call of the link')
  const caller = AbortSignal.abort(new Error('stopping'))
  await expect(run(key, { signal: caller }, 1)).rejects.toThrow('stopping')
  const next = run(key, {}, 1)
  held.resolve()
  await first
  expect(await next).toBe('done')
})

const tooMany = () => Promise.reject(plaidFailure('rate-limited'))

test('after 429 the calls of the item pause, twice as long each time', async () => {
  const key = await createItem()
  for (const seconds of [30, 60, 120]) {
    const refused = runLimited(deps(), callOf(key), () => tooMany())
    expect(await limitedFor(refused)).toBeNull()
    const paused = (await limitedFor(run(key, {}, 1))) ?? 0
    expect(paused >= seconds * 1_000 && paused < seconds * 1_000 + 10_000).toBe(true)
    const { limitedUntil } = (await findCallCounts(replicas[0], key, now)) ?? {}
    expect(limitedUntil).toEqual(new Date(now.getTime() + paused))
    expect(await run(await createItem())).toBe('done')
    now = new Date(now.getTime() + paused)
  }
  expect(await run(key)).toBe('done')
  expect((await findCallCounts(replicas[0], key, now))?.limitedUntil).toBeNull()
})

test('after 429 to a call without an item its endpoint pauses, for items too', async () => {
  await limitedFor(runLimited(deps(), callOf(null), () => tooMany()))
  const first = (await limitedFor(run(null, {}, 1))) ?? 0
  expect(first >= 30_000 && first < 40_000).toBe(true)
  expect(await limitedFor(run(await createItem()))).toBe(first)
  now = new Date(now.getTime() + first)
  await limitedFor(runLimited(deps(), callOf(null), () => tooMany()))
  const second = (await limitedFor(run(null))) ?? 0
  expect(second >= 60_000 && second < 70_000).toBe(true)
  now = new Date(now.getTime() + second)
  expect(await run(null)).toBe('done')
  await limitedFor(runLimited(deps(), callOf(null), () => tooMany()))
  expect(await limitedFor(run(null))).toBe(first)
})

test('calls are counted by day and in all', async () => {
  const key = await createItem()
  expect(await findCallCounts(replicas[0], key, now)).toBeNull()
  await run(key)
  await run(key)
  now = new Date('2026-03-05T00:00:00Z')
  const counts = () => findCallCounts(replicas[0], key, now)
  expect(await counts()).toEqual({ today: 0, total: 2n, limitedUntil: null })
  await run(key)
  expect(await counts()).toEqual({ today: 1, total: 3n, limitedUntil: null })
})
