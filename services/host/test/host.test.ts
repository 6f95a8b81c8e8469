import { once } from 'node:events'
import { on } from '@coffer/kit/events/handler'
import { headers } from '@coffer/kit/rpc/rpc'
import { setting } from '@coffer/kit/service/config'
import { defineService } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { Code, createClient, createRouterTransport } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { boot, eventually } from '../testing/boot.ts'
import { fixture } from '../testing/fixture/service.ts'
import { keepLogLines } from '../testing/log-lines.ts'
import { started } from '../testing/started.ts'

const booted = started(() => boot([fixture]))

const seen = (accountId: string) =>
  booted.database('identity').pool.anyFirst(sql.type(z.object({ seen: z.bigint() }))`
    SELECT seen_version AS seen FROM connections WHERE account_id = ${accountId}`)

test('a change that commits reaches the consumer once', async () => {
  const accountId = newId('acct')
  const links = booted.client('identity', FeedLinkService)
  await links.createFeedLink({ name: 'One' }, booted.as(accountId))
  expect(
    await eventually(
      () => seen(accountId),
      ([times]) => times === 1n,
    ),
  ).toEqual([1n])
})

test('twenty requests under one Idempotency-Key write once and get one answer', async () => {
  const accountId = newId('acct')
  const links = booted.client('identity', FeedLinkService)
  const caller = booted.as(accountId)
  const key = { [headers.idempotencyKey]: 'k1', [headers.bodyHash]: 'ab' }
  const create = (name: string, sent: Record<string, string>) =>
    links.createFeedLink({ name }, { ...caller, headers: sent })
  const replies = await Promise.all(Array.from({ length: 20 }, () => create('Two', key)))
  expect(new Set(replies.map(({ feedLink }) => feedLink?.feedLinkId)).size).toBe(1)
  expect(await seen(accountId)).toHaveLength(1)
  const other = { ...key, [headers.bodyHash]: 'cd' }
  await expect(create('Three', other)).rejects.toMatchObject({
    code: Code.FailedPrecondition,
  })
})

test('log lines of a call name its service', async () => {
  const { log, lines } = keepLogLines('error')
  await using logged = await boot([fixture], {}, log)
  const links = logged.client('identity', FeedLinkService)
  const unstorable = { name: 'a\0b' }
  await expect(links.createFeedLink(unstorable, logged.as(newId('acct')))).rejects.toThrow()
  expect(lines()).toMatchObject([{ service: 'identity', rpc: 'CreateFeedLink' }])
})

test('a refused caller token is logged with the called service', async () => {
  const { log, lines } = keepLogLines('warn')
  await using logged = await boot([fixture], {}, log)
  const router = createRouterTransport(logged.host.routes)
  const health = createClient(ServiceHealthService, router)
  for (const service of ['identity', 'elsewhere']) {
    await expect(health.checkServiceHealth({ service })).rejects.toThrow()
  }
  const refused = lines().filter(({ msg }) => msg === 'refused a caller token')
  expect(refused.map(({ rpc, service }) => [rpc, service])).toEqual([
    ['CheckServiceHealth', 'identity'],
    ['CheckServiceHealth', undefined],
  ])
})

test('a call without a caller is refused', async () => {
  const links = booted.client('identity', FeedLinkService)
  await expect(links.createFeedLink({ name: 'None' })).rejects.toMatchObject({
    code: Code.Unavailable,
  })
})

/** Returns a definition of the test service that counts how often the service was closed. */
function closing() {
  const counted = { times: 0, definition: fixture }
  counted.definition = {
    ...fixture,
    create: (deps) => ({
      ...fixture.create(deps),
      close: async () => {
        counted.times++
      },
    }),
  }
  return counted
}

const neighbour = { ...fixture, name: 'ledger', settings: {} }
const routes = () => undefined

test('a start that fails leaves nothing running', async () => {
  const closed = closing()
  const settings = { wrong: setting('COFFER_WRONG', z.string(), 'Must be given.') }
  const second = defineService({ ...neighbour, settings, create: () => ({ routes }) })
  await expect(boot([closed.definition, second])).rejects.toThrow('COFFER_WRONG')
  expect(closed.times).toBe(1)
})

test('work in progress is told that the services stop, and is waited for', async () => {
  const arrived = Promise.withResolvers<void>()
  let hasEnded = false
  const listening = defineService({
    ...fixture,
    create: (deps) => ({
      ...fixture.create(deps),
      handlers: [
        on(AccountSettingsChangedSchema, async () => {
          arrived.resolve()
          await once(deps.stopping, 'abort')
          hasEnded = true
        }),
      ],
    }),
  })
  const stopped = await boot([listening])
  const links = stopped.client('identity', FeedLinkService)
  await links.createFeedLink({ name: 'One' }, stopped.as(newId('acct')))
  await arrived.promise
  await stopped[Symbol.asyncDispose]()
  expect(hasEnded).toBe(true)
})

test('all services stop when one does not start', async () => {
  const closed = closing()
  const broken = {
    routes,
    get handlers(): never {
      throw new Error('never ready')
    },
  }
  const definitions = [closed.definition, defineService({ ...neighbour, create: () => broken })]
  await expect(boot(definitions)).rejects.toThrow('never ready')
  expect(closed.times).toBe(1)
})
