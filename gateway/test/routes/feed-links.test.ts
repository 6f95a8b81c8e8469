import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { refused } from '@coffer/kit/rpc/errors'
import { FeedLinkSchema } from '@coffer/proto/feedsync/v1/feed_link'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'
import { alice } from '../stub-mesh.ts'

const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const feedLink = create(FeedLinkSchema, {
  feedLinkId: ids.feedLinkId,
  name: 'Provider',
  apiUrl: 'https://feed.example/v1',
  status: 'pending',
  createdAt: at,
  updatedAt: at,
  createdBy: alice.userId,
})
const shown = {
  feedLinkId: ids.feedLinkId,
  name: 'Provider',
  apiUrl: 'https://feed.example/v1',
  status: 'pending',
  lastManualSync: null,
  lastSuccessfulUpdate: null,
  lastAttemptedUpdate: null,
  updatedAt: '2026-01-02T03:04:05Z',
  createdAt: '2026-01-02T03:04:05Z',
  createdBy: alice.userId,
}
const feedOn = { COFFER_FEED_ENABLED: 'true' }
const body = { name: 'Provider', feedURL: 'https://feed.example/v1', apiKey: 'abc123' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('connections are stored, listed and read; the key is never shown', async () => {
  const stubs = {
    createFeedLink: () => ({ feedLink }),
    listFeedLinks: () => ({ feedLinks: [feedLink] }),
    getFeedLink: () => ({ feedLink }),
  }
  gateway = await createGateway({ feedLinks: stubs }, feedOn)
  const created = await gateway.send('POST', '/api/feed/link', { body })
  expect([created.status, created.body]).toEqual([200, shown])
  expect(gateway.received.at(-1)?.message).toMatchObject({
    name: 'Provider',
    feedUrl: 'https://feed.example/v1',
    apiKey: 'abc123',
  })
  expect((await gateway.send('GET', '/api/feed/link')).body).toEqual([shown])
  expect((await gateway.send('GET', `/api/feed/link/${ids.feedLinkId}`)).body).toEqual(shown)
})

test('candidates are listed; a refresh is 204, or the error of the provider', async () => {
  const candidate = { feedBankAccountId: 'lbac_1', feedLinkId: ids.feedLinkId, name: 'Checking' }
  let isDown = false
  const refreshFeedBankAccounts = () => {
    if (isDown) throw refused('the feed provider did not answer', { status: 500 })
    return {}
  }
  const listFeedBankAccounts = () => ({ feedBankAccounts: [candidate] })
  const feedBankAccounts = { listFeedBankAccounts, refreshFeedBankAccounts }
  gateway = await createGateway({ feedBankAccounts }, feedOn)
  const url = `/api/feed/link/${ids.feedLinkId}/bank_accounts`
  const [shownCandidate] = (await gateway.send('GET', url)).body
  expect(shownCandidate).toMatchObject({ name: 'Checking', currentBalance: 0 })
  expect(shownCandidate).not.toHaveProperty('deletedAt')
  const done = await gateway.send('POST', `${url}/refresh`)
  expect([done.status, done.text]).toEqual([204, ''])
  isDown = true
  const failed = await gateway.send('POST', `${url}/refresh`)
  expect([failed.status, failed.body.error]).toEqual([500, 'the feed provider did not answer'])
})

test.each([
  [{ feedURL: 'ftp://feed.example' }, { feedURL: 'must be http or https' }],
  [{ feedURL: 'https://feed.example?a=1' }, { feedURL: 'must have no query parameters' }],
  [{ feedURL: 'https://me:you@feed.example' }, { feedURL: 'must have no credentials' }],
  [{ feedURL: 'feed' }, { feedURL: 'must be a URL' }],
  [{ apiKey: 'a-b' }, { apiKey: 'must be 1 to 100 letters and digits' }],
  [{ apiKey: 'a'.repeat(101) }, { apiKey: 'must be 1 to 100 letters and digits' }],
  [{ apiKey: '' }, { apiKey: 'cannot be blank' }],
  [{ apiUrl: 'x' }, { apiUrl: 'key not expected' }],
])('a connection with %j is refused', async (change, problems) => {
  gateway = await createGateway({}, feedOn)
  const answer = await gateway.send('POST', '/api/feed/link', { body: { ...body, ...change } })
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})
