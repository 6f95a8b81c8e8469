import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { SyncHealthSchema } from '@coffer/proto/feedsync/v1/feed_sync'
import { afterEach, expect, test } from '@jest/globals'
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

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('the health of a feed link is that of its syncs, also where the feature is off', async () => {
  const getSyncHealth = () => ({ health })
  gateway = await createGateway({
    links: { getLink: () => ({ link: feedLink }) },
    feedSyncs: { getSyncHealth },
  })
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

test('the health of an aggregator link has its calls, code and end of consent', async () => {
  const getAggregatorHealth = () => ({
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
  gateway = await createGateway({
    links: { getLink: () => ({ link: { linkId, linkType: 'aggregator' } }) },
    aggregatorSyncs: { getAggregatorHealth },
  })
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
    feedSyncs: { getSyncHealth: missing },
    aggregatorSyncs: { getAggregatorHealth: missing },
  })
  expect((await gateway.send('GET', url)).body).toEqual({ ...none, linkType })
})

test('the health of a missing link is 404, and a malformed ID is 400', async () => {
  const getLink = () => {
    throw notFound('link')
  }
  gateway = await createGateway({ links: { getLink } })
  expect((await gateway.send('GET', url)).status).toBe(404)
  expect((await gateway.send('GET', `/api/links/${bankAccountId}/health`)).status).toBe(400)
})
