import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { ids } from '../samples.ts'
import type { Stubs } from '../stub-mesh.ts'

const feedOn = { COFFER_FEED_ENABLED: 'true' }
const url = '/api/feed/link/sync'
const { linkId, feedLinkId } = ids
const body = { linkId }
const link = { linkId, linkType: 'feed', feedLinkId }
const links = { getLink: () => ({ link }) }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

function create(more: Stubs = {}): Promise<Gateway> {
  return createGateway({ links, feedSyncs: { requestFeedSync: () => ({}) }, ...more }, feedOn)
}

test('a sync is requested of the feed connection: 202 without a body', async () => {
  gateway = await create()
  const answer = await gateway.send('POST', url, { body })
  expect([answer.status, answer.text]).toEqual([202, ''])
  const { rpc, message } = gateway.received.at(-1)!
  expect(rpc).toBe('RequestFeedSync')
  expect(message).toMatchObject({ linkId, feedLinkId })
})

test('a sync that is requested again too soon is 425 with Retry-After', async () => {
  const text = 'link has been manually synced too recently: repeat after Retry-After'
  const requestFeedSync = () => {
    throw refused(text, { status: 425, retryAfterSeconds: 1_234 })
  }
  gateway = await create({ feedSyncs: { requestFeedSync } })
  const answer = await gateway.send('POST', url, { body })
  expect([answer.status, answer.body]).toEqual([425, { error: text }])
  expect(answer.headers['retry-after']).toBe('1234')
})

describe('a link', () => {
  const deletedAt = timestampFromDate(new Date('2026-01-02T03:04:05Z'))

  test.each([
    ['manual', { linkId, linkType: 'manual' }, 'not a feed link'],
    ['of the aggregator', { linkId, linkType: 'aggregator' }, 'not a feed link'],
    ['deleted', { ...link, deletedAt }, 'has been deleted'],
  ])('that is %s is 400, and feed-sync is not called', async (_name, other, text) => {
    gateway = await create({ links: { getLink: () => ({ link: other }) } })
    const answer = await gateway.send('POST', url, { body })
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(text)])
    expect(gateway.received.map(({ rpc }) => rpc)).not.toContain('RequestFeedSync')
  })

  test('that is missing is 404, and one whose connection is deactivated 400', async () => {
    const getLink = () => {
      throw notFound('link')
    }
    gateway = await create({ links: { getLink } })
    const missing = await gateway.send('POST', url, { body })
    expect([missing.status, missing.body.error]).toEqual([404, 'link: record does not exist'])
    await gateway[Symbol.asyncDispose]()
    const requestFeedSync = () => {
      throw refused('the feed link is deactivated: create a new connection')
    }
    gateway = await create({ feedSyncs: { requestFeedSync } })
    const ended = await gateway.send('POST', url, { body })
    expect([ended.status, ended.body.error]).toEqual([
      400,
      'the feed link is deactivated: create a new connection',
    ])
  })
})

test.each([
  [{}, { linkId: 'required key is missing' }],
  [{ linkId: feedLinkId }, { linkId: expect.stringContaining('begins with link_') }],
  [{ linkId: 5 }, { linkId: 'must be a string' }],
  [{ ...body, feedLinkId }, { feedLinkId: 'key not expected' }],
])('the body %j is 400', async (sent, problems) => {
  gateway = await create()
  const answer = await gateway.send('POST', url, { body: sent })
  expect([answer.status, answer.body]).toEqual([400, { error: expect.any(String), problems }])
})

test('the OpenAPI document states 202 and 425 for a sync, and 204 for a refresh', async () => {
  gateway = await create()
  const { paths } = (await gateway.send('GET', '/api/openapi.json', { as: null })).body
  const refresh = paths['/api/feed/link/{feedLinkId}/bank_accounts/refresh']
  const { responses } = paths[url].post
  const stated = Object.keys(responses)
  expect(stated).toEqual(expect.arrayContaining(['202', '400', '401', '402', '404', '425']))
  expect(stated).not.toContain('200')
  expect(refresh.post.responses).toHaveProperty('204')
  expect(refresh.post.responses).not.toHaveProperty('425')
})

test('the OpenAPI document states 101 and the refusals of a socket', async () => {
  gateway = await create()
  const { paths } = (await gateway.send('GET', '/api/openapi.json', { as: null })).body
  const socket = paths['/api/feed/link/sync/{linkId}/bank_account/{bankAccountId}/progress'].get
  const { 101: opened, ...refusals } = socket.responses
  expect(opened).not.toHaveProperty('content')
  const statuses = ['400', '401', '403', '404', '426', '429', '503', 'default']
  expect(Object.keys(refusals)).toEqual(expect.arrayContaining(statuses))
  const [{ properties }] = socket['x-websocket'].frames
  expect(properties.status.enum).toEqual(['begin', 'transactions', 'balances', 'complete', 'error'])
})
