import { holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { fixture } from '@coffer/host/testing/fixture/service'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { refusalOf } from '../../src/rpc/errors.ts'
import { headers } from '../../src/rpc/rpc.ts'
import { newId } from '../../src/values/id.ts'

const booted = booting([fixture])

function keyed(accountId: string, key: string, bodyHash = 'ab', more = {}): CallOptions {
  const sent = { [headers.idempotencyKey]: key, [headers.bodyHash]: bodyHash, ...more }
  return { ...booted.as(accountId), headers: sent }
}

/** Creates a feed link; returns its ID and whether the reply was the stored one. */
async function create(name: string, options: CallOptions) {
  let replayed = false
  const onHeader = (header: Headers) => {
    replayed = header.get(headers.replayed) === 'true'
  }
  const { feedLink } = await booted
    .client('identity', FeedLinkService)
    .createFeedLink({ name }, { ...options, onHeader })
  return { id: feedLink?.feedLinkId, replayed }
}

const stored = (accountId: string) =>
  booted.database('identity').pool.anyFirst(sql.unsafe`
    SELECT name FROM connections WHERE account_id = ${accountId} ORDER BY name`)

test('a repeated request gets the first reply, marked as replayed', async () => {
  const accountId = newId('acct')
  const first = await create('One', keyed(accountId, 'k1'))
  const again = await create('One', keyed(accountId, 'k1'))
  expect(first.replayed).toBe(false)
  expect(again).toEqual({ id: first.id, replayed: true })
  expect(await stored(accountId)).toEqual(['One'])
})

test('another request under the key is 422 and writes nothing', async () => {
  const accountId = newId('acct')
  await create('One', keyed(accountId, 'k1', 'ab'))
  const other = await create('Two', keyed(accountId, 'k1', 'cd')).catch(ConnectError.from)
  expect(refusalOf(other as ConnectError)).toMatchObject({ status: 422 })
  expect(String(other)).toContain('another request (path, query or body): send a new key')
  expect(await stored(accountId)).toEqual(['One'])
})

test('without a key, under another key and in another account the request is new', async () => {
  const [accountId, stranger] = [newId('acct'), newId('acct')]
  const creations = [
    await create('a', keyed(accountId, 'k1')),
    await create('b', keyed(accountId, 'k2')),
    await create('c', booted.as(accountId)),
    await create('d', keyed(stranger, 'k1')),
  ]
  expect(creations.map(({ replayed }) => replayed)).toEqual([false, false, false, false])
  expect(await stored(accountId)).toEqual(['a', 'b', 'c'])
  expect(await stored(stranger)).toEqual(['d'])
})

test('a failure is not stored: the request can be repeated under its key', async () => {
  const accountId = newId('acct')
  // The write fails without an outage: Postgres refuses a zero byte in a text.
  await expect(create('\0', keyed(accountId, 'k1'))).rejects.toThrow()
  expect((await create('One', keyed(accountId, 'k1'))).replayed).toBe(false)
  expect(await stored(accountId)).toEqual(['One'])
})

test('requests at once under one key get one reply; one with another body is 422', async () => {
  const accountId = newId('acct')
  const others = Array.from({ length: 15 }, () => create('One', keyed(accountId, 'k1')))
  const other = create('Two', keyed(accountId, 'k1', 'cd')).catch(ConnectError.from)
  const replies = await Promise.all(others)
  expect(new Set(replies.map(({ id }) => id)).size).toBe(1)
  expect(replies.filter(({ replayed }) => replayed)).toHaveLength(14)
  expect(refusalOf((await other) as ConnectError)).toMatchObject({ status: 422 })
  expect(await stored(accountId)).toEqual(['One'])
})

test('a request that waits for one that fails is carried out', async () => {
  const accountId = newId('acct')
  const failing = create('\0', keyed(accountId, 'k1')).catch(String)
  const waiting = await create('One', keyed(accountId, 'k1'))
  expect(await failing).toMatch(/Error/)
  expect(waiting.replayed).toBe(false)
  expect(await stored(accountId)).toEqual(['One'])
})

const ofFormerBuild = (accountId: string, key: string) =>
  keyed(accountId, key, 'ab', { [headers.onlyReplay]: 'true' })

/** Expects the refusal (409) of a former build of the app. */
async function expectFormer(creation: Promise<unknown>): Promise<void> {
  const refusal = (await creation.catch(ConnectError.from)) as ConnectError
  expect([refusalOf(refusal)?.status, refusal.message]).toEqual([
    409,
    expect.stringContaining('Coffer-Build'),
  ])
}

test('a former build gets the first reply, also of a running request, or is refused', async () => {
  const accountId = newId('acct')
  const old = (key: string) => ofFormerBuild(accountId, key)
  await expectFormer(create('Zero', old('k0')))
  await expectFormer(create('Zero', keyed(accountId, 'k0')))
  const running = create('One', keyed(accountId, 'k1'))
  const meanwhile = await create('One', old('k1'))
  const { id } = await running
  expect([meanwhile, await create('One', old('k1'))]).toEqual(Array(2).fill({ id, replayed: true }))
  expect(await stored(accountId)).toEqual(['One'])
})

test('a request of a former build is refused, or the same one in another process is', async () => {
  const accountId = newId('acct')
  const database = booted.database('identity')
  const insert = (key: string, bodyHash: string) =>
    holdTransaction(
      database,
      sql.unsafe`
        INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
        VALUES (${accountId}, 'CreateFeedLink', ${key}, decode(${bodyHash}, 'hex'), '')`,
    )
  const first = await insert('k1', 'ab')
  const repeated = create('One', ofFormerBuild(accountId, 'k1'))
  await first.untilAwaited()
  await first.release()
  expect((await repeated).replayed).toBe(true)
  const refusal = await insert('k2', '00')
  const running = create('Two', keyed(accountId, 'k2'))
  await refusal.untilAwaited()
  await refusal.release()
  await expectFormer(running)
  expect(await stored(accountId)).toEqual([])
})
