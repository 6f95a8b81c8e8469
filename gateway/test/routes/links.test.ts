import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import { AggregatorLinkSchema } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
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

test('the connection of a deleted feed link has ended before feed-sync learns of it', async () => {
  const deleted = create(LinkSchema, { ...fed, deletedAt: at })
  const live = create(FeedLinkSchema, { ...feedLink, status: 'active' })
  gateway = await createGateway({
    links: { getLink: () => ({ link: deleted }) },
    feedLinks: { listFeedLinks: () => ({ feedLinks: [live] }) },
  })
  const { body } = await gateway.send('GET', `/api/links/${linkId}`)
  expect(body.feedLink).toMatchObject({ status: 'deactivated', deletedAt: '2026-01-02T03:04:05Z' })
})

describe('aggregator links', () => {
  const aggregated = create(LinkSchema, { ...manual, linkType: 'aggregator' })
  const others = Array.from({ length: 3 }, (_, at) => ({
    ...aggregated,
    linkId: `link_01hzzzzzzzzzzzzzzzzzzzzzz${at}`,
  }))
  const connectionOf = (id: string, more: object = {}) =>
    create(AggregatorLinkSchema, {
      linkId: id,
      products: ['transactions'],
      status: 'setup',
      institutionId: 'ins_109508',
      institutionName: 'First Bank',
      createdAt: at,
      createdBy: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
      updatedAt: at,
      ...more,
    })
  const listAggregatorLinks = ({ linkIds }: { linkIds: string[] }) => ({
    aggregatorLinks: linkIds.map((id) => connectionOf(id)),
  })

  test('of a list get their connections with one call, beside feed links', async () => {
    gateway = await createGateway({
      links: { listLinks: () => ({ links: [manual, fed, ...others] }) },
      feedLinks: { listFeedLinks: () => ({ feedLinks: [feedLink] }) },
      aggregatorLinks: { listAggregatorLinks },
    })
    const { body } = await gateway.send('GET', '/api/links')
    expect(body[0]).not.toHaveProperty('aggregatorLink')
    expect(body[1]).toHaveProperty('feedLink')
    expect(body[1]).not.toHaveProperty('aggregatorLink')
    const calls = gateway.received.filter(({ rpc }) => rpc === 'ListAggregatorLinks')
    expect(calls).toHaveLength(1)
    expect(calls[0]?.message).toMatchObject({ linkIds: others.map((one) => one.linkId) })
    const time = '2026-01-02T03:04:05Z'
    expect(body[4]).toMatchObject({ linkId: others[2]?.linkId, linkType: 'aggregator' })
    expect(body[4].aggregatorLink).toEqual({
      products: ['transactions'],
      status: 'setup',
      expirationDate: null,
      newAccountsAvailable: false,
      institutionId: 'ins_109508',
      institutionName: 'First Bank',
      lastManualSync: null,
      lastSuccessfulUpdate: null,
      lastAttemptedUpdate: null,
      lastAccountSync: null,
      updatedAt: time,
      createdAt: time,
      createdBy: 'user_01hzzzzzzzzzzzzzzzzzzzzzzz',
      deletedAt: null,
    })
  })

  test('are read by thousands', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => ({
      ...aggregated,
      linkId: `link_01hzzzzzzzzzzzzzzzzzzz${10_000 + index}`,
    }))
    gateway = await createGateway({
      links: { listLinks: () => ({ links: many }) },
      aggregatorLinks: { listAggregatorLinks },
    })
    const { body } = await gateway.send('GET', '/api/links')
    expect(body.at(-1)).toHaveProperty('aggregatorLink')
    const calls = gateway.received.filter(({ rpc }) => rpc === 'ListAggregatorLinks')
    expect(calls.map(({ message }) => Object(message).linkIds.length)).toEqual([1_000, 1])
  })

  test('show a code, and the end of a deleted link', async () => {
    const ended = { errorCode: 'ITEM_LOGIN_REQUIRED', deletedAt: at }
    gateway = await createGateway({
      links: { getLink: () => ({ link: aggregated }), updateLink: () => ({ link: aggregated }) },
      aggregatorLinks: {
        listAggregatorLinks: () => ({ aggregatorLinks: [connectionOf(linkId, ended)] }),
      },
    })
    const shown = { errorCode: 'ITEM_LOGIN_REQUIRED', deletedAt: '2026-01-02T03:04:05Z' }
    const read = await gateway.send('GET', `/api/links/${linkId}`)
    expect(read.body.aggregatorLink).toMatchObject(shown)
    const changed = await gateway.send('PATCH', `/api/links/${linkId}`, { body: {} })
    expect(changed.body.aggregatorLink).toMatchObject(shown)
  })

  test('end with their deletion, before aggregator-sync learns of it', async () => {
    const deleted = create(LinkSchema, { ...aggregated, deletedAt: at })
    gateway = await createGateway({
      links: { getLink: () => ({ link: deleted }) },
      aggregatorLinks: { listAggregatorLinks },
    })
    const { body } = await gateway.send('GET', `/api/links/${linkId}`)
    const deletedAt = '2026-01-02T03:04:05Z'
    expect(body.aggregatorLink).toMatchObject({ status: 'deactivated', deletedAt })
  })

  test('lack a connection that is unknown, and are 503 while aggregator-sync is away', async () => {
    let isAway = false
    const list = () => {
      if (isAway) throw unavailable('away')
      return { aggregatorLinks: [] }
    }
    gateway = await createGateway({
      links: { getLink: () => ({ link: aggregated }) },
      aggregatorLinks: { listAggregatorLinks: list },
    })
    const { status, body } = await gateway.send('GET', `/api/links/${linkId}`)
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('aggregatorLink')
    isAway = true
    expect((await gateway.send('GET', `/api/links/${linkId}`)).status).toBe(503)
  })
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
