import { started } from '@coffer/host/testing/started'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { bySession, createGateway } from '../gateway.ts'
import { ids } from '../samples.ts'

/** Entries of the stub lists, as numbers: their IDs have the same order. */
const stored = new Set<number>()
const ascending = (prefix: string) =>
  [...stored].sort((one, other) => one - other).map((number) => idAt(prefix, number))

let asked: object = {}
const gateway = started(() =>
  createGateway(
    {
      links: {
        listLinks: () => ({ links: ascending('link').map((linkId) => ({ linkId })) }),
        getLink: ({ linkId }: { linkId: string }) => ({ link: { linkId } }),
      },
      apiKeys: {
        listApiKeys: () => ({
          apiKeys: ascending('key')
            .reverse()
            .map((apiKeyId) => ({ apiKeyId })),
        }),
      },
      bankAccounts: {
        listBankAccounts: ({ linkId }) => ({
          bankAccounts: linkId ? [] : ascending('bac').map((bankAccountId) => ({ bankAccountId })),
        }),
      },
      mappings: {
        listMappings: (request: object) => {
          asked = request
          return { mappings: [{ transactionImportMappingId: ids.transactionImportMappingId }] }
        },
      },
    },
    { COFFER_UPLOADS_ENABLED: 'true' },
  ),
)

function idAt(prefix: string, number: number): string {
  return `${prefix}_01hz${String(number).padStart(22, '0')}`
}

async function get(url: string) {
  const answer = await gateway.send('GET', url, { as: bySession })
  const next = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link))?.[1]
  return { ...answer, next }
}

const numbers = fc.integer({ min: 0, max: 60 })
const walks = fc.record({
  first: fc.array(numbers, { maxLength: 30 }),
  limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 })),
  changes: fc.array(fc.record({ removed: numbers, added: numbers }), { maxLength: 10 }),
})

test.each([
  ['/api/links', 'link', 'linkId'],
  ['/api/keys', 'key', 'apiKeyId'],
  ['/api/bank_accounts', 'bac', 'bankAccountId'],
])('pages of %s show each entry that stays exactly once, in order', async (path, prefix, id) => {
  const property = fc.asyncProperty(walks, async ({ first, limit, changes }) => {
    stored.clear()
    for (const number of first) stored.add(number)
    const stays = new Set(first.filter((one) => !changes.some(({ removed }) => removed === one)))
    const shown: string[] = []
    let url: string | undefined = `${path}?limit=${limit}&kept=1`
    while (url !== undefined) {
      const page = await get(url)
      expect(page.body.length).toBeLessThanOrEqual(limit)
      shown.push(...page.body.map((one: Record<string, string>) => one[id]))
      url = page.next
      if (url !== undefined) expect(url).toContain('kept=1')
      const change = changes.pop()
      if (change) stored.delete(change.removed)
      if (change) stored.add(change.added)
    }
    const sorted = shown.toSorted()
    expect(shown).toEqual(prefix === 'key' ? sorted.toReversed() : sorted)
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown).toEqual(expect.arrayContaining([...stays].map((one) => idAt(prefix, one))))
  })
  await fc.assert(property, { numRuns: 60 })
})

test('a list is whole without limit and after; after alone gives 25 entries', async () => {
  stored.clear()
  for (let number = 0; number < 60; number++) stored.add(number)
  const whole = await get('/api/links')
  expect([whole.body.length, whole.headers.link]).toEqual([60, undefined])
  expect((await get('/api/links?limit=many&other=1')).body).toEqual(whole.body)
  const first = await get('/api/links?limit=10')
  const second = await get(first.next?.replace('limit=10&', '') ?? '')
  expect(second.body).toEqual(whole.body.slice(10, 35))
  expect((await get('/api/links?limit=60')).next).toBeUndefined()
})

test.each([
  ['limit=0', { limit: 'must be between 1 and 100' }],
  ['limit=101', { limit: 'must be between 1 and 100' }],
  ['after=x', { after: 'must be a cursor from an earlier page of this list' }],
])('%s is refused', async (query, problems) => {
  const cursorOfKeys = (await get('/api/keys?limit=1')).next?.split('?')[1]
  for (const wrong of [query, cursorOfKeys?.replace('limit=1', query)]) {
    const { status, body } = await get(`/api/links?${wrong}`)
    expect([status, body.problems]).toEqual([400, expect.objectContaining(problems)])
  }
})

test('a link without bank accounts stays null with a limit', async () => {
  const { status, body } = await get(`/api/bank_accounts?link_id=${ids.linkId}&limit=3`)
  expect([status, body]).toEqual([200, null])
})

test('mappings continue behind a cursor, and have no offset then', async () => {
  const { next } = await get('/api/mappings?limit=1')
  expect((await get(next ?? '')).status).toBe(200)
  expect(asked).toMatchObject({ before: ids.transactionImportMappingId, limit: 1, offset: 0 })
  const { status, body } = await get(`${next}&offset=1`)
  expect([status, body.problems]).toEqual([400, { offset: expect.stringMatching(/Link header/) }])
})

test('fields keeps these keys of each entry, or of an object', async () => {
  const { body } = await get('/api/links?limit=2&fields=linkId,linkType')
  expect(body.map((one: object) => Object.keys(one).sort())).toEqual([
    ['linkId', 'linkType'],
    ['linkId', 'linkType'],
  ])
  const one = await get(`/api/links/${ids.linkId}?fields=linkId`)
  expect(one.body).toEqual({ linkId: ids.linkId })
  const paged = await get('/api/links?limit=1&fields=description')
  expect(paged.next).toContain('fields=description')
})

test.each([
  ['colour,linkId', /^does not know colour: use linkId, /],
  ['', /^does not know a blank key: use linkId, /],
  ['linkId,', /^does not know a blank key/],
  ['linkId, linkType', /^does not know {2}linkType/],
  ['__proto__', /^does not know __proto__/],
])('fields=%s is 400 with the keys that are allowed', async (fields, text) => {
  const { status, body } = await get(`/api/links?fields=${encodeURIComponent(fields)}`)
  expect([status, body.problems]).toEqual([400, { fields: expect.stringMatching(text) }])
})

test('the document has limit, after and Link of each list, and fields of each read', async () => {
  const { body } = await gateway.send('GET', '/api/openapi.json', { as: null })
  const named = (path: string): string[] =>
    body.paths[path].get.parameters.map(({ name }: { name: string }) => name)
  const gets = Object.keys(body.paths).filter((path) => body.paths[path].get)
  const isList = (path: string) =>
    body.paths[path].get.responses[200]?.content?.['application/json']?.schema.type === 'array'
  const lists = gets.filter((path) => isList(path) && !path.includes('/locale/'))
  expect(lists.length).toBeGreaterThan(12)
  for (const path of lists) {
    expect([path, named(path)]).toEqual([
      path,
      expect.arrayContaining(['limit', 'after', 'fields']),
    ])
    expect(body.paths[path].get.responses[200].headers).toHaveProperty('Link')
  }
  expect(named('/api/bank_accounts/{bankAccountId}/balances')).toContain('fields')
  expect(named('/api/users/me/export')).toEqual([])
})
