import { afterAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { type AuthClass, authClasses, type Route } from '../../src/http/route.ts'
import { byKey, byPending, bySession, createGateway } from '../gateway.ts'
import { listRoutes } from '../routes.ts'
import { ids } from '../samples.ts'

// Features of identity, all switched on.
const everything = {
  allowSignUp: true,
  verifyEmailAddress: true,
  allowForgotPassword: true,
  proofOfWorkEnabled: true,
}
const environment = {
  COFFER_FEED_ENABLED: 'true',
  COFFER_AGGREGATOR_ENABLED: 'true',
  COFFER_UPLOADS_ENABLED: 'true',
  COFFER_BILLING_ENABLED: 'true',
  COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
}
const finding = () => ({})

/** A gateway with every optional feature, whose services find every object. */
const gateway = await createGateway(
  {
    links: { getLink: finding },
    bankAccounts: { getBankAccount: finding, describeBankAccount: finding },
    transactions: { getTransaction: finding },
    fundingSchedules: { getFundingSchedule: finding },
    spending: { getSpending: finding },
    imports: { getImport: finding },
    uploads: { getUpload: finding },
    uploadGroups: { getUploadGroup: finding },
    ownWebhooks: { getWebhook: finding },
    rules: { getRule: finding },
    features: { getFeatures: () => everything },
  },
  environment,
)
/** A gateway with every optional feature switched off. */
const bare = await createGateway({})
afterAll(async () => {
  for (const one of [gateway, bare]) await one[Symbol.asyncDispose]()
})

const routes = listRoutes(gateway)
const closed = routes.filter(({ auth }) => auth !== 'none')

test('the list of routes is not empty', () => {
  expect(routes.length).toBeGreaterThan(35)
})

function credentialOf(auth: AuthClass) {
  if (auth === 'none') return null
  if (auth === 'multifactor') return byPending
  return authClasses[auth].key ? byKey : bySession
}

test.each(closed)('$method $path is 401 without a credential', async ({ method, path }) => {
  const { status, body, headers } = await gateway.send(method, urlOf(path), { as: null })
  expect([status, body?.code]).toEqual([401, 'CREDENTIAL_REQUIRED'])
  expect(headers).toHaveProperty('www-authenticate')
})

test.each(closed.filter(({ auth }) => !authClasses[auth].key))(
  '$method $path is 401 for an API key',
  async ({ method, path }) => {
    const { status, body } = await gateway.send(method, urlOf(path))
    expect([status, body?.code]).toEqual([401, 'SESSION_REQUIRED'])
  },
)

test.each(routes.filter(({ method }) => method === 'GET'))(
  'HEAD $path answers as GET does, without the body',
  async ({ path, auth }) => {
    const as = credentialOf(auth)
    const get = await gateway.send('GET', urlOf(path), { as })
    const head = await gateway.send('HEAD', urlOf(path), { as })
    expect([head.status, head.text]).toEqual([get.status, ''])
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    const length = get.text === '' ? undefined : get.headers['content-length']
    expect(head.headers['content-length']).toBe(length)
  },
)

// Routes that need no subscription (docs/security.md#who-may-do-what).
const unpaid =
  /^(GET|PUT|PATCH|POST|DELETE) \/api\/(users|billing|sessions)\b|^(GET|DELETE) \/api\/keys/

test.each(closed.filter(({ auth }) => auth !== 'multifactor'))(
  '$method $path is 402 without a subscription if the route needs one',
  async ({ method, path }) => {
    const as = { cookie: 'coffer_session=unpaid' }
    const { status, body } = await gateway.send(method, urlOf(path), { as })
    if (unpaid.test(`${method} ${path}`)) expect(status).not.toBe(402)
    else
      expect([status, body]).toEqual([
        402,
        { error: 'the subscription is not active: create a checkout, or renew it in the portal' },
      ])
  },
)

test.each(routes.filter(({ feature }) => feature === 'billing'))(
  '$method $path is 404 where billing is off',
  async ({ method, path }) => {
    const { status, body } = await bare.send(method, urlOf(path), { as: bySession })
    expect([status, body.error]).toEqual([404, expect.stringContaining('billing is not enabled')])
  },
)

test.each(['cs_', 'pi_1', 'cs_test/1', 'x'.repeat(200)])(
  '%s is not the ID of a checkout',
  async (id) => {
    const path = `/api/billing/checkout/${encodeURIComponent(id)}`
    const { status, body } = await gateway.send('GET', path, { as: bySession })
    expect([status, body.error]).toEqual([400, expect.stringContaining('begins with cs_')])
  },
)

test.each(routes.filter(({ body, file }) => body && !file))(
  '$method $path takes no key it does not know',
  async ({ method, path, auth }) => {
    const as = credentialOf(auth)
    const { status, body } = await gateway.send(method, urlOf(path), { as, body: { bogus: 1 } })
    expect(status).toBe(400)
    const shapes = body.problems.oneOf ?? [body.problems]
    for (const shape of shapes) expect(shape.bogus).toBe('key not expected')
  },
)

test.each(routes.filter(({ body, webhook }) => body ?? webhook))(
  '$method $path is 415 for a body with a content coding',
  async ({ method, path, auth }) => {
    const as = credentialOf(auth)
    const encoded = (coding: string) =>
      gateway.send(method, urlOf(path), { as, body: '{}', headers: { 'content-encoding': coding } })
    const error = 'a Content-Encoding of the body is not accepted: send the body as it is'
    for (const coding of ['gzip', 'identity, br', 'x']) {
      const { status, body, headers } = await encoded(coding)
      expect([status, body, headers['accept-encoding']]).toEqual([415, { error }, 'identity'])
    }
    for (const coding of ['identity', 'Identity , identity', '']) {
      expect((await encoded(coding)).body?.error).not.toBe(error)
    }
  },
)

test('routes with a body look for their bank account before they report a bad body', () => {
  const isBelow = ({ path, body, file }: Route) =>
    body && !file && path.startsWith('/api/bank_accounts/')
  const below = routes.filter(isBelow)
  expect(below.length).toBeGreaterThan(10)
  expect(below.filter(({ find }) => !find).map(({ id }) => id)).toEqual([])
})

test('routes that take a password, code or mailed token are limited by network', () => {
  const takesSecret = ({ body }: Route) => {
    const schema = body && z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
    return /"(password|currentPassword|totp|token)":/.test(JSON.stringify(schema ?? {}))
  }
  const guessable = routes.filter(takesSecret)
  expect(guessable.length).toBeGreaterThan(10)
  expect(guessable.filter(({ attempts }) => !attempts)).toEqual([])
})

test.each(routes.filter(({ feature }) => feature === 'feed'))(
  '$method $path is 404 where the feed integration is off',
  async ({ method, path }) => {
    const { status, body } = await bare.send(method, urlOf(path))
    expect([status, body.error]).toEqual([404, expect.stringContaining('not enabled')])
  },
)

test.each(routes.filter(({ feature }) => feature === 'aggregator'))(
  '$method $path is 406 where the aggregator is off, after 401 and 402',
  async ({ method, path }) => {
    const { status, body } = await bare.send(method, urlOf(path), { as: bySession })
    const error = 'the aggregator is not enabled on this server'
    expect([status, body]).toEqual([406, { error }])
    const as = { cookie: 'coffer_session=unpaid' }
    expect((await bare.send(method, urlOf(path), { as })).status).toBe(402)
    expect((await bare.send(method, urlOf(path), { as: null })).status).toBe(401)
  },
)

test.each(['ins_', 'ins_x', 'link_1', `ins_${'1'.repeat(21)}`])(
  '%s is not the ID of an institution',
  async (id) => {
    const { status, body } = await gateway.send('GET', `/api/institutions/${id}`, { as: bySession })
    expect([status, body.error]).toEqual([400, expect.stringContaining('begins with ins_')])
  },
)

describe('the OpenAPI document', () => {
  test('has every route with its parameters, and every $ref exists', async () => {
    const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
    expect(body.openapi).toBe('3.1.0')
    for (const { method, path } of routes) {
      const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')][method.toLowerCase()]
      const named = operation.parameters.filter((one: { in: string }) => one.in === 'path')
      expect(named).toHaveLength(path.split(':').length - 1)
      for (const { name, schema } of named) {
        expect(ids[name as keyof typeof ids]).toMatch(new RegExp(schema.pattern))
      }
    }
    for (const [, name] of JSON.stringify(body).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(body.components.schemas).toHaveProperty(String(name))
    }
  })

  test('names each operation by verb and noun, once, and describes its tag', async () => {
    const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
    const ids = routes.map(({ id }) => id)
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers as their clients do
    const operations = Object.values<any>(body.paths).flatMap<any>((methods) =>
      Object.values(methods),
    )
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(ids.sort())
    const described = body.tags.map(({ name }: { name: string }) => name)
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(described))
  })

  test('has the codes of a 401', async () => {
    const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
    const { get } = body.paths['/api/keys']
    expect(get.responses[401].$ref).toBe('#/components/responses/UnauthorizedSession')
    const { UnauthorizedSession } = body.components.responses
    expect(UnauthorizedSession.headers).toHaveProperty('WWW-Authenticate')
    const { code } = body.components.schemas.RefusedCredential.properties
    expect(code.enum).toContain('SESSION_REQUIRED')
  })

  test('describes bodies and answers', async () => {
    const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
    const { post } = body.paths['/api/bank_accounts/{bankAccountId}/transactions']
    const { schema } = post.requestBody.content['application/json']
    expect(schema.required).toEqual(['amount', 'date', 'name'])
    expect(schema.additionalProperties).toBe(false)
    expect(schema.properties.date).toMatchObject({ type: 'string', format: 'date-time' })
    expect(body.components.schemas.Balances.properties.free).toEqual({
      type: 'integer',
      minimum: -Number.MAX_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description: expect.stringContaining('in minor units: `available` minus `expenses`'),
    })
    const list = body.paths['/api/bank_accounts/{bankAccountId}/transactions'].get
    expect(list.responses[200].headers.Link.$ref).toBe('#/components/headers/Link')
    expect(list.parameters).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'limit',
          in: 'query',
          description: expect.stringMatching(/ Default: 25$/),
          schema: expect.objectContaining({ type: 'integer', minimum: 1, maximum: 100 }),
        }),
        expect.objectContaining({ name: 'offset' }),
      ]),
    )
    const { description, deletedAt, linkType } = body.components.schemas.Link.properties
    expect(description.anyOf).toEqual([{ type: 'string' }, { type: 'null' }])
    expect(description.description).toMatch(/ Null when unset\.$/)
    expect(linkType.enum).toEqual(['manual', 'aggregator', 'feed', 'unknown'])
    expect(deletedAt.anyOf[0]).toEqual({ type: 'string', format: 'date-time' })
    expect(body.components.schemas.Link.required).not.toContain('feedLinkId')
  })

  test('says where the rule of a plan replaces its next date', async () => {
    const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
    const bodyOf = (method: string, path: string) =>
      body.paths[`/api/bank_accounts/{bankAccountId}/${path}`][method].requestBody.content[
        'application/json'
      ].schema
    const [expense, goal] = bodyOf('post', 'spending').anyOf
    expect(expense.required).not.toContain('nextRecurrence')
    expect(goal.required).toContain('nextRecurrence')
    const schedules = bodyOf('post', 'funding_schedules')
    for (const { properties } of [
      expense,
      schedules,
      bodyOf('patch', 'spending/{spendingId}'),
      bodyOf('patch', 'funding_schedules/{fundingScheduleId}'),
    ]) {
      expect(properties.nextRecurrence.description).toMatch(/without it/i)
    }
  })
})

function urlOf(path: string, other: Record<string, string> = {}): string {
  const all: Record<string, string> = { ...ids, ...other }
  return path.replaceAll(/:(\w+)/g, (_, name) => all[name] ?? '')
}
