import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import { FeedLinkSchema } from '@coffer/proto/feedsync/v1/feed_link'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'

const linkId = 'link_01hzzzzzzzzzzzzzzzzzzzzzza'
const feedLinkId = 'lfx_01hzzzzzzzzzzzzzzzzzzzzzzb'
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))

const manual = create(LinkSchema, {
  linkId,
  linkType: 'manual',
  institutionName: 'Credit Union',
  createdAt: at,
  createdBy: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
  updatedAt: at,
})
const fed = create(LinkSchema, { ...manual, linkType: 'feed', feedLinkId })
const feedLink = create(FeedLinkSchema, {
  feedLinkId,
  name: 'Provider',
  apiUrl: 'https://feed.example/v1',
  status: 'pending',
  createdAt: at,
  updatedAt: at,
  createdBy: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
})
const feedOn = { COFFER_FEED_ENABLED: 'true' }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a manual link has every key of the interface, and none of a feed link', async () => {
  gateway = await createGateway({ links: { listLinks: () => ({ links: [manual] }) } })
  const { status, body } = await gateway.send('GET', '/api/links')
  expect(status).toBe(200)
  expect(body).toEqual([
    {
      linkId,
      linkType: 'manual',
      institutionName: 'Credit Union',
      description: null,
      createdAt: '2026-01-02T03:04:05Z',
      createdBy: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
      updatedAt: '2026-01-02T03:04:05Z',
      deletedAt: null,
    },
  ])
  expect(gateway.received.map(({ rpc }) => rpc)).toEqual(['VerifyApiKey', 'ListLinks'])
})

test('feed links of a list get their connections with one call', async () => {
  const second = { ...fed, linkId: 'link_01hzzzzzzzzzzzzzzzzzzzzzzc' }
  gateway = await createGateway({
    links: { listLinks: () => ({ links: [manual, fed, second] }) },
    feedLinks: { listFeedLinks: () => ({ feedLinks: [feedLink] }) },
  })
  const { body } = await gateway.send('GET', '/api/links')
  expect(body[0]).not.toHaveProperty('feedLink')
  expect(body[1].feedLink).toMatchObject({ feedLinkId, status: 'pending', lastManualSync: null })
  expect(body[1].feedLink).not.toHaveProperty('deletedAt')
  expect(body[2].feedLink.feedLinkId).toBe(feedLinkId)
  expect(gateway.received.filter(({ rpc }) => rpc === 'ListFeedLinks')).toHaveLength(1)
})

test('a patch names what it changes, and null clears', async () => {
  gateway = await createGateway({ links: { updateLink: () => ({ link: manual }) } })
  const body = { description: null, institutionName: '  Bank  ' }
  const { status } = await gateway.send('PATCH', `/api/links/${linkId}`, { body })
  expect(status).toBe(200)
  expect(gateway.received.at(-1)?.message).toMatchObject({
    linkId,
    institutionName: 'Bank',
    updateMask: { paths: ['institution_name', 'description'] },
  })
  expect(gateway.received.at(-1)?.message).not.toHaveProperty('description', expect.anything())
})

test('a missing link is 404 also with a bad body or malformed JSON', async () => {
  gateway = await createGateway({
    links: {
      getLink: () => {
        throw notFound('link')
      },
    },
  })
  for (const body of [{ bogus: 1 }, '{']) {
    const answer = await gateway.send('PATCH', `/api/links/${linkId}`, { body })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ error: 'link: record does not exist' })
  }
})

test('deleting answers with an empty body', async () => {
  gateway = await createGateway({ links: { deleteLink: () => ({}) } })
  const { status, text } = await gateway.send('DELETE', `/api/links/${linkId}`)
  expect([status, text]).toEqual([200, ''])
})

describe('a link over a feed connection', () => {
  const body = { institutionName: 'Provider', feedLinkId }
  const creating = { links: { createLink: () => ({ link: fed }) } }

  test('is 404 where the integration is off', async () => {
    gateway = await createGateway(creating)
    const { status, body: answered } = await gateway.send('POST', '/api/links', { body })
    expect(status).toBe(404)
    expect(answered.error).toMatch(/not enabled/)
  })

  test('activates the connection, and does not show it in the answer', async () => {
    const feedLinks = {
      getFeedLink: () => ({ feedLink }),
      activateFeedLink: () => ({ feedLink }),
    }
    gateway = await createGateway({ ...creating, feedLinks }, feedOn)
    const { status, body: answered } = await gateway.send('POST', '/api/links', { body })
    expect(status).toBe(200)
    expect(answered).toMatchObject({ linkId, linkType: 'feed', feedLinkId })
    expect(answered).not.toHaveProperty('feedLink')
    const rpcs = gateway.received.map(({ rpc }) => rpc)
    expect(rpcs.slice(1)).toEqual(['GetFeedLink', 'CreateLink', 'ActivateFeedLink'])
    expect(gateway.received.at(-1)?.message).toMatchObject({ feedLinkId, linkId })
  })

  test('is created even when the connection cannot be activated at once', async () => {
    const feedLinks = {
      getFeedLink: () => ({ feedLink }),
      activateFeedLink: () => {
        throw unavailable('down')
      },
    }
    gateway = await createGateway({ ...creating, feedLinks }, feedOn)
    expect((await gateway.send('POST', '/api/links', { body })).status).toBe(200)
  })

  test('is refused unless the connection is pending', async () => {
    const active = { ...feedLink, status: 'active' }
    gateway = await createGateway(
      { ...creating, feedLinks: { getFeedLink: () => ({ feedLink: active }) } },
      feedOn,
    )
    const { status } = await gateway.send('POST', '/api/links', { body })
    expect(status).toBe(400)
    expect(gateway.received.map(({ rpc }) => rpc)).not.toContain('CreateLink')
  })

  test('is left to the ledger when the request may be a repetition', async () => {
    const active = { ...feedLink, status: 'active' }
    const feedLinks = {
      getFeedLink: () => ({ feedLink: active }),
      activateFeedLink: () => ({ feedLink: active }),
    }
    gateway = await createGateway({ ...creating, feedLinks }, feedOn)
    const headers = { 'idempotency-key': 'again' }
    expect((await gateway.send('POST', '/api/links', { body, headers })).status).toBe(200)
  })
})
