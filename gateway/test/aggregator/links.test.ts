import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound, refused, unavailable } from '@coffer/kit/rpc/errors'
import { headers as names } from '@coffer/kit/rpc/rpc'
import { AggregatorLinkSchema } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { afterEach, describe, expect, test } from '@jest/globals'
import { bySession, createGateway, type Gateway } from '../gateway.ts'
import { ids, user } from '../samples.ts'
import type { Stubs } from '../stub-mesh.ts'

const aggregatorOn = { COFFER_AGGREGATOR_ENABLED: 'true' }
const { linkId } = ids
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const time = '2026-01-02T03:04:05Z'
const link = create(LinkSchema, {
  linkId,
  linkType: 'aggregator',
  institutionName: 'First Bank',
  createdAt: at,
  createdBy: user.userId,
  updatedAt: at,
})
const aggregatorLink = create(AggregatorLinkSchema, {
  linkId,
  products: ['transactions'],
  status: 'setup',
  institutionId: 'ins_109508',
  institutionName: 'First Bank',
  createdAt: at,
  createdBy: user.userId,
  updatedAt: at,
})
const me = { user, isTrialing: true }
const choice = { publicToken: 'public-sandbox-1', accountIds: ['a', 'b'] }

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

function start(stubs: Stubs): Promise<Gateway> {
  const found: Stubs = { users: { getMe: () => me }, links: { getLink: () => ({ link }) } }
  return createGateway({ ...found, ...stubs }, aggregatorOn)
}

async function send(method: string, url: string, body?: unknown) {
  const answer = await gateway.send(method, url, { as: bySession, body })
  return { ...answer, call: gateway.received.at(-1) }
}

describe('GET /api/aggregator/token/new', () => {
  const url = '/api/aggregator/token/new'
  const createLinkToken = () => ({ linkToken: 'link-sandbox-1' })

  test.each([
    ['', false],
    ['?use_cache=true', true],
    ['?use_cache=T', true],
    ['?use_cache=0', false],
  ])('answers a link token; with %j the cache may be used: %s', async (query, useCache) => {
    gateway = await start({ aggregatorLinks: { createLinkToken } })
    const { status, body, call } = await send('GET', `${url}${query}`)
    expect([status, body]).toEqual([200, { linkToken: 'link-sandbox-1' }])
    expect(call).toMatchObject({ rpc: 'CreateLinkToken', message: { useCache } })
  })

  test.each([
    ['Alice', 'Smith', 'Alice Smith'],
    ['Alice', '', ''],
  ])('tells the aggregator of %j %j as %j', async (firstName, lastName, legalName) => {
    const email = 'alice@example.com'
    const login = { email, firstName, lastName, emailVerifiedAt: at }
    const getMe = () => ({ isTrialing: true, user: { login } })
    gateway = await start({ users: { getMe }, aggregatorLinks: { createLinkToken } })
    const { call } = await send('GET', url)
    const told = { legalName, email, emailVerifiedAt: at, isTrialing: true }
    expect(call?.message).toMatchObject({ user: told })
  })

  test.each([
    [refused('max number of Plaid links already reached: delete one'), 400],
    [refused('failed to create link token: repeat it later', { status: 500 }), 500],
    [unavailable('too many calls'), 503],
  ])('passes on %s', async (error, status) => {
    const refuse = () => {
      throw error
    }
    gateway = await start({ aggregatorLinks: { createLinkToken: refuse } })
    const answer = await send('GET', url)
    expect([answer.status, answer.body.error]).toEqual([status, error.rawMessage])
  })

  test('is 503 while identity is away, and asks for no token', async () => {
    const getMe = () => {
      throw unavailable('identity is away')
    }
    gateway = await start({ users: { getMe }, aggregatorLinks: { createLinkToken } })
    const { status, call } = await send('GET', url)
    expect([status, call?.rpc]).toEqual([503, 'GetMe'])
  })
})

describe('POST /api/aggregator/token/callback', () => {
  const url = '/api/aggregator/token/callback'
  const createAggregatorLink = () => ({ linkId })

  test('creates a link with what the user has chosen', async () => {
    gateway = await start({ aggregatorLinks: { createAggregatorLink } })
    const institution = { institutionId: 'ins_109508', institutionName: ' First Bank ' }
    const { status, body, call } = await send('POST', url, { ...choice, ...institution })
    expect([status, body]).toEqual([200, { linkId }])
    expect(call?.message).toMatchObject({
      publicToken: 'public-sandbox-1',
      institutionId: 'ins_109508',
      institutionName: 'First Bank',
      providerAccountIds: ['a', 'b'],
      isTrialing: true,
    })
  })

  test('forwards an idempotency key', async () => {
    gateway = await start({ aggregatorLinks: { createAggregatorLink } })
    const headers = { 'idempotency-key': 'again' }
    await gateway.send('POST', url, { as: bySession, body: choice, headers })
    expect(gateway.received.at(-1)?.header.get(names.idempotencyKey)).toBe('again')
  })

  test.each([[choice], [{ ...choice, institutionId: null, institutionName: null }]])(
    'may be without an institution: %j',
    async (sent) => {
      gateway = await start({ aggregatorLinks: { createAggregatorLink } })
      const { status, call } = await send('POST', url, sent)
      expect(status).toBe(200)
      expect(Object.keys(call?.message ?? {})).not.toContain('institutionId')
      expect(Object.keys(call?.message ?? {})).not.toContain('institutionName')
    },
  )

  test.each([
    [{ publicToken: ' ', accountIds: ['a'] }, 'must provide a public token'],
    [{ publicToken: 'p', accountIds: [] }, 'must select at least one account'],
  ])('leaves %j to the service, which drops the cached link token first', async (sent, text) => {
    const refuse = () => {
      throw refused(text)
    }
    gateway = await start({ aggregatorLinks: { createAggregatorLink: refuse } })
    const { status, body } = await send('POST', url, sent)
    expect([status, body]).toEqual([400, { error: text }])
  })

  test.each([
    [{}, { publicToken: 'required key is missing', accountIds: 'required key is missing' }],
    [{ ...choice, accountIds: 'a' }, { accountIds: 'must be a list' }],
    [{ ...choice, accountIds: [1] }, { accountIds: { 0: 'must be a string' } }],
    [{ ...choice, accessToken: 'x' }, { accessToken: 'key not expected' }],
  ])('the body %j is 400', async (sent, problems) => {
    gateway = await start({})
    const { status, body } = await send('POST', url, sent)
    expect([status, body]).toEqual([400, { error: expect.any(String), problems }])
  })

  test('shows the text of a failure of the aggregator', async () => {
    const error = 'failed to exchange token: open Plaid Link again'
    const fail = () => {
      throw refused(error, { status: 500 })
    }
    gateway = await start({ aggregatorLinks: { createAggregatorLink: fail } })
    const { status, body } = await send('POST', url, choice)
    expect([status, body]).toEqual([500, { error, requestId: expect.any(String) }])
  })
})

describe('PUT /api/aggregator/link/update/:linkId', () => {
  const url = `/api/aggregator/link/update/${linkId}`
  const createUpdateToken = () => ({ linkToken: 'link-sandbox-2' })

  test.each([
    ['', false],
    ['?update_account_selection=true', true],
  ])('answers a link token; with %j accounts may be chosen: %s', async (query, selectsAccounts) => {
    gateway = await start({ aggregatorLinks: { createUpdateToken } })
    const { status, body, call } = await send('PUT', `${url}${query}`)
    expect([status, body]).toEqual([200, { linkToken: 'link-sandbox-2' }])
    expect(call?.message).toMatchObject({ linkId, selectsAccounts })
  })
})

describe('POST /api/aggregator/link/update/callback', () => {
  const url = '/api/aggregator/link/update/callback'

  test('answers the whole link with its connection', async () => {
    const updateAggregatorLink = () => ({ aggregatorLink })
    gateway = await start({ aggregatorLinks: { updateAggregatorLink } })
    const { status, body, call } = await send('POST', url, { linkId, ...choice })
    expect(status).toBe(200)
    expect(body).toEqual({
      linkId,
      linkType: 'aggregator',
      institutionName: 'First Bank',
      description: null,
      createdAt: time,
      createdBy: user.userId,
      updatedAt: time,
      deletedAt: null,
      aggregatorLink: {
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
        createdBy: user.userId,
        deletedAt: null,
      },
    })
    const update = { linkId, publicToken: 'public-sandbox-1', providerAccountIds: ['a', 'b'] }
    expect(call?.message).toMatchObject(update)
  })
})

describe('POST /api/aggregator/link/sync', () => {
  const url = '/api/aggregator/link/sync'

  test('requests a sync: 202 without a body', async () => {
    gateway = await start({ aggregatorSyncs: { requestAggregatorSync: () => ({}) } })
    const { status, text, call } = await send('POST', url, { linkId })
    expect([status, text]).toEqual([202, ''])
    expect(call).toMatchObject({ rpc: 'RequestAggregatorSync', message: { linkId } })
  })

  test('is 425 with Retry-After when it is requested again too soon', async () => {
    const error = 'link has been manually synced too recently: repeat after Retry-After'
    const requestAggregatorSync = () => {
      throw refused(error, { status: 425, retryAfterSeconds: 1_234 })
    }
    gateway = await start({ aggregatorSyncs: { requestAggregatorSync } })
    const { status, body, headers } = await send('POST', url, { linkId })
    expect([status, body, headers['retry-after']]).toEqual([425, { error }, '1234'])
  })

  test.each([
    [{}, { linkId: 'required key is missing' }],
    [{ linkId: ids.bankAccountId }, { linkId: expect.stringContaining('begins with link_') }],
  ])('the body %j is 400', async (sent, problems) => {
    gateway = await start({})
    const { status, body } = await send('POST', url, sent)
    expect([status, body]).toEqual([400, { error: expect.any(String), problems }])
  })
})

describe.each([
  ['PUT', `/api/aggregator/link/update/${linkId}`, undefined, 'cannot update a non-Plaid link'],
  [
    'POST',
    '/api/aggregator/link/update/callback',
    { linkId, ...choice },
    'cannot update a non-Plaid link',
  ],
  ['POST', '/api/aggregator/link/sync', { linkId }, 'cannot manually sync a non-Plaid link'],
])('%s %s', (method, url, body, text) => {
  const missing = () => {
    throw notFound('link')
  }

  test.each([
    ['missing', missing, 404, 'link: record does not exist'],
    ['deleted', () => ({ link: { ...link, deletedAt: at } }), 404, 'the link has been deleted'],
    ['manual', () => ({ link: { ...link, linkType: 'manual' } }), 400, text],
    ['of a feed', () => ({ link: { ...link, linkType: 'feed' } }), 400, text],
  ])('refuses a link that is %s', async (_, getLink, status, error) => {
    gateway = await start({ links: { getLink } })
    const answer = await send(method, url, body)
    expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(error)])
    expect(answer.call?.rpc).toBe('GetLink')
  })
})

test('the OpenAPI document states 202 and 425 for a sync, and keys of a connection', async () => {
  gateway = await start({})
  const { paths, components } = (await gateway.send('GET', '/api/openapi.json', { as: null })).body
  const sync = paths['/api/aggregator/link/sync'].post
  const stated = Object.keys(sync.responses)
  expect(stated).toEqual(expect.arrayContaining(['202', '401', '402', '404', '406', '425']))
  expect(components.responses.TooEarly.headers).toHaveProperty('Retry-After')
  expect(sync.security).toEqual([{ session: [] }])
  const { properties, required } = components.schemas.AggregatorLink
  expect(Object.keys(properties)).not.toContain('linkId')
  expect(required).not.toContain('errorCode')
})
