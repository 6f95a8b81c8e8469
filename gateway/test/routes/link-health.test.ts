import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { SyncHealthSchema as FormerHealthSchema } from '@coffer/proto/feedsync/v1/feed_sync'
import { SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'

const { linkId, feedLinkId, bankAccountId } = ids
const url = `/api/links/${linkId}/health`
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const lastError = {
  code: 'key-refused',
  text: 'The feed provider refused the API key',
  advice: 'Check at the provider that the key is valid, then sync again.',
  at,
}
const health = create(SyncHealthSchema, {
  status: 'error',
  lastAttempt: at,
  failuresInRow: 5,
  lastError,
  lastArrival: { added: 3, changed: 2, matched: 1 },
  bankAccounts: [
    {
      bankAccountId,
      feedBankAccountId: 'lbac_01hzzzzzzzzzzzzzzzzzzzzzza',
      status: 'active',
      feedStatus: 'ACTIVE',
      lastSuccess: at,
      syncCount: 9n,
    },
  ],
})
const none = {
  linkId,
  status: 'none',
  isSyncing: false,
  lastAttempt: null,
  lastSuccess: null,
  nextAttempt: null,
  failuresInRow: 0,
  lastError: null,
  lastArrival: null,
  bankAccounts: [],
}
const feedLink = { linkId, linkType: 'feed', feedLinkId }
const allOn = { COFFER_FEED_ENABLED: 'true', COFFER_AGGREGATOR_ENABLED: 'true' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('the health of a feed link is that of its syncs', async () => {
  const getHealth = () => ({ health })
  const stubs = { links: { getLink: () => ({ link: feedLink }) }, feedSyncs: { getHealth } }
  gateway = await createGateway(stubs, allOn)
  const answer = await gateway.send('GET', url)
  const time = '2026-01-02T03:04:05Z'
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      ...none,
      linkType: 'feed',
      status: 'error',
      lastAttempt: time,
      failuresInRow: 5,
      lastError: { ...lastError, at: time },
      lastArrival: { added: 3, changed: 2, matched: 1, removed: 0, skipped: 0 },
      bankAccounts: [
        {
          bankAccountId,
          feedBankAccountId: 'lbac_01hzzzzzzzzzzzzzzzzzzzzzza',
          status: 'active',
          feedStatus: 'ACTIVE',
          lastSuccess: time,
          failuresInRow: 0,
          lastError: null,
        },
      ],
    },
  ])
  expect(gateway.received.at(-1)?.message).toMatchObject({ feedLinkId })
})

test('a deleted link has no next sync, before aggregator-sync learns of the deletion', async () => {
  const getHealth = () => ({
    health: create(SyncHealthSchema, { linkId, status: 'setup', nextAttempt: at }),
  })
  const link = { linkId, linkType: 'aggregator', deletedAt: at }
  const stubs = { links: { getLink: () => ({ link }) }, aggregatorSyncs: { getHealth } }
  gateway = await createGateway(stubs, allOn)
  const { body } = await gateway.send('GET', url)
  expect(body).toMatchObject({ status: 'deactivated', nextAttempt: null })
})

test('the health of an aggregator link has its calls, code and end of consent', async () => {
  const getHealth = () => ({
    health: create(SyncHealthSchema, {
      linkId,
      status: 'error',
      failuresInRow: 1,
      errorCode: 'ITEM_LOGIN_REQUIRED',
      consentExpiresAt: at,
      calls: { today: 7, total: 1_234n },
      bankAccounts: [{ bankAccountId, status: 'active', lastSuccess: at, syncCount: 9n }],
    }),
  })
  const links = { getLink: () => ({ link: { linkId, linkType: 'aggregator' } }) }
  gateway = await createGateway({ links, aggregatorSyncs: { getHealth } }, allOn)
  const { status, body } = await gateway.send('GET', url)
  const time = '2026-01-02T03:04:05Z'
  expect([status, body]).toEqual([
    200,
    {
      ...none,
      linkType: 'aggregator',
      status: 'error',
      failuresInRow: 1,
      errorCode: 'ITEM_LOGIN_REQUIRED',
      consentExpiresAt: time,
      calls: { today: 7, total: 1_234, limitedUntil: null },
      bankAccounts: [
        {
          bankAccountId,
          status: 'active',
          lastSuccess: time,
          failuresInRow: 0,
          lastError: null,
        },
      ],
    },
  ])
  expect(gateway.received.at(-1)?.message).toMatchObject({ linkId })
})

describe('where the integration is switched off', () => {
  const now = new Date('2026-05-06T07:08:09Z')
  const clock = () => now
  const readOf = (status: string) => ({ health: { ...health, status, nextAttempt: at } })

  async function healthOf(linkType: string, status: string) {
    const read = () => readOf(status)
    const stubs = {
      links: { getLink: () => ({ link: { ...feedLink, linkType } }) },
      feedSyncs: { getHealth: read },
      aggregatorSyncs: { getHealth: read },
    }
    gateway = await createGateway(stubs, {}, { clock })
    return (await gateway.send('GET', url)).body
  }

  test.each([
    ['feed', 'active', /COFFER_FEED_ENABLED=true .*--try-feed .*restart/],
    ['aggregator', 'setup', /COFFER_AGGREGATOR_ENABLED=true .*--try-aggregator .*restart/],
  ])('the health of a %s link says what to do', async (linkType, status, advice) => {
    expect(await healthOf(linkType, status)).toMatchObject({
      linkType,
      status,
      nextAttempt: null,
      lastAttempt: '2026-01-02T03:04:05Z',
      lastArrival: { added: 3 },
      lastError: {
        code: 'switched-off',
        text: expect.stringContaining('switched off'),
        advice: expect.stringMatching(advice),
        at: '2026-05-06T07:08:09Z',
      },
    })
  })

  test('a connection that has ended shows its last error', async () => {
    const { lastError: shown } = await healthOf('feed', 'deactivated')
    expect(shown).toMatchObject({ code: 'key-refused' })
  })
})

test('the health of a manual link is none, without a call of another service', async () => {
  const link = { linkId, linkType: 'manual' }
  gateway = await createGateway({ links: { getLink: () => ({ link }) } })
  const answer = await gateway.send('GET', url)
  expect([answer.status, answer.body]).toEqual([200, { ...none, linkType: 'manual' }])
  expect(gateway.received.at(-1)?.rpc).toBe('GetLink')
})

test.each([
  ['feed', feedLink],
  ['aggregator', { linkId, linkType: 'aggregator' }],
])('a %s link that the service of its syncs does not know has no syncs', async (linkType, link) => {
  const missing = () => {
    throw notFound('link')
  }
  gateway = await createGateway({
    links: { getLink: () => ({ link }) },
    feedSyncs: { getHealth: missing },
    aggregatorSyncs: { getHealth: missing },
  })
  expect((await gateway.send('GET', url)).body).toEqual({ ...none, linkType })
})

test.each([
  ['feed', feedLink],
  ['aggregator', { linkId, linkType: 'aggregator' }],
])('beside a service of 0.2.0, the health of a %s link is its own', async (linkType, link) => {
  const lastArrival = { added: 3 }
  const former = () => ({ health: create(FormerHealthSchema, { status: 'error', lastArrival }) })
  gateway = await createGateway(
    {
      links: { getLink: () => ({ link }) },
      feedSyncs: { getSyncHealth: former },
      aggregatorSyncs: { getAggregatorHealth: former },
    },
    allOn,
  )
  const { body } = await gateway.send('GET', url)
  expect(body).toMatchObject({ linkId, linkType, status: 'error', lastArrival })
})

test('the health of a missing link is 404, and a malformed ID is 400', async () => {
  const getLink = () => {
    throw notFound('link')
  }
  gateway = await createGateway({ links: { getLink } })
  expect((await gateway.send('GET', url)).status).toBe(404)
  expect((await gateway.send('GET', `/api/links/${bankAccountId}/health`)).status).toBe(400)
})
