import { breakingChanges } from '@coffer/client/build/breaking-changes'
import { apiDocument } from '@coffer/client/build/document'
import { expect, test } from '@jest/globals'

// biome-ignore lint/suspicious/noExplicitAny: JSON documents, read key by key
type Json = any

/** The pattern of a list of keys, as the parameter `fields` has it. */
const keyList = '^(?:id|kind|note)(?:,(?:id|kind|note))*$'

/** A small document; `change` edits its only operation or its schemas. */
function documentOf(change: (operation: Json, schemas: Json) => void = () => {}): Json {
  const schemas = {
    Pot: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        kind: { type: 'string', enum: ['goal', 'expense'] },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        inner: { $ref: '#/components/schemas/Pot' },
      },
      required: ['id', 'kind', 'note'],
    },
  }
  const json = (schema: Json) => ({ content: { 'application/json': { schema } } })
  const operation = {
    operationId: 'createPot',
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
      { name: 'fields', in: 'query', schema: { pattern: keyList } },
    ],
    requestBody: json({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 300 },
        kind: { type: 'string', enum: ['goal', 'expense'] },
        amount: { type: ['integer', 'null'] },
        currency: { type: 'string', pattern: '^(?:EUR|USD)$' },
      },
      required: ['name'],
    }),
    responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Pot' } }) },
  }
  change(operation, schemas)
  return { paths: { '/pots': { post: operation } }, components: { schemas } }
}

const bodyOf = (operation: Json) => operation.requestBody.content['application/json'].schema

type Change = (operation: Json, schemas: Json) => void

test.each<[string, Change, RegExp]>([
  ['another name', (one) => (one.operationId = 'makePot'), /createPot is makePot/],
  ['a parameter that is gone', (one) => one.parameters.shift(), /parameter limit is gone/],
  ['a narrower parameter', (one) => (one.parameters[0].schema.maximum = 50), /limit: maximum 50/],
  [
    'a new required parameter',
    (one) => one.parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
    /parameter x is required/,
  ],
  ['a key of the body that is gone', (one) => delete bodyOf(one).properties.kind, /kind is gone/],
  ['a key that is required now', (one) => bodyOf(one).required.push('kind'), /kind is required/],
  ['a value less', (one) => bodyOf(one).properties.kind.enum.pop(), /values goal,expense against/],
  ['null no more', (one) => (bodyOf(one).properties.amount.type = 'integer'), /integer,null/],
  ['a shorter text', (one) => (bodyOf(one).properties.name.maxLength = 9), /maxLength 9/],
  [
    'a key less to choose from',
    (one) => (one.parameters[1].schema.pattern = '^(?:id|note)(?:,(?:id|note))*$'),
    /fields: pattern/,
  ],
  [
    'a currency less',
    (one) => (bodyOf(one).properties.currency.pattern = '^(?:EUR)$'),
    /currency: pattern/,
  ],
  ['a pattern', (one) => (bodyOf(one).properties.name.pattern = '^a'), /pattern/],
  ['an answer that is gone', (one) => delete one.responses[200], /answer 200 is gone/],
  ['a key of an answer that is gone', (_, { Pot }) => delete Pot.properties.id, /id is gone/],
  ['a key that may be missing', (_, { Pot }) => Pot.required.shift(), /id may be missing/],
  ['another type', (_, { Pot }) => (Pot.properties.id.type = 'integer'), /type integer against/],
  ['a value more', (_, { Pot }) => Pot.properties.kind.enum.push('debt'), /debt against goal/],
  [
    'a key that may be null now',
    (_, { Pot }) => (Pot.properties.id = { type: ['string', 'null'] }),
    /type string,null/,
  ],
  [
    'a new variant',
    (_, { Pot }) => Pot.properties.note.anyOf.push({ type: 'integer' }),
    /is no match/,
  ],
])('%s breaks clients', (_, change, text) => {
  const faults = breakingChanges(documentOf(), documentOf(change))
  expect(faults).toEqual([expect.stringMatching(text)])
})

test.each<[string, Change]>([
  ['nothing', () => {}],
  ['an optional parameter', (one) => one.parameters.push({ name: 'x', in: 'query', schema: {} })],
  ['an optional key of the body', (one) => (bodyOf(one).properties.x = { type: 'string' })],
  ['a longer text', (one) => (bodyOf(one).properties.name.maxLength = 400)],
  ['a value more in the body', (one) => bodyOf(one).properties.kind.enum.push('debt')],
  ['a key more in the answer', (_, { Pot }) => (Pot.properties.x = { type: 'string' })],
  ['a value less in the answer', (_, { Pot }) => Pot.properties.kind.enum.pop()],
  ['null no more in the answer', (_, { Pot }) => (Pot.properties.note = { type: 'string' })],
  [
    'a key more to choose from',
    (one) => {
      one.parameters[1].schema.pattern = '^(?:id|kind|note|x)(?:,(?:id|kind|note|x))*$'
    },
  ],
  [
    'a currency more',
    (one) => {
      bodyOf(one).properties.currency.pattern = '^(?:EUR|JPY|USD)$'
    },
  ],
  ['another refusal', (one) => (one.responses[409] = { description: 'x' })],
])('%s breaks no client', (_, change) => {
  expect(breakingChanges(documentOf(), documentOf(change))).toEqual([])
})

test('an operation that is gone breaks clients, unless it was in preview', () => {
  const without = { ...documentOf(), paths: {} }
  expect(breakingChanges(documentOf(), without)).toEqual(['createPot: POST /pots is gone'])
  const preview = documentOf((operation) => (operation['x-since'] = 'preview'))
  expect(breakingChanges(preview, without)).toEqual([])
})

test("each key that is taken from the server's answers is noticed, and no other change", () => {
  const api = apiDocument()
  expect(breakingChanges(api, apiDocument())).toEqual([])
  const { schemas } = api.components
  const texts = Object.entries(api.paths).map((path) => ({ path, text: JSON.stringify(path) }))
  for (const [name, schema] of Object.entries<Json>(schemas)) {
    // Only the paths that name the schema: a comparison of all takes 50 ms.
    const own = texts.filter(({ text }) => text.includes(`schemas/${name}"`))
    if (!schema.properties || own.length === 0 || /Error|Problem|Refus|Invalid|Changed/.test(name))
      continue
    const [key = ''] = Object.keys(schema.properties)
    const { [key]: _, ...properties } = schema.properties
    const before = { ...api, paths: Object.fromEntries(own.map(({ path }) => path)) }
    const components = { schemas: { ...schemas, [name]: { ...schema, properties } } }
    const count = breakingChanges(before, { ...before, components }).length
    expect({ name, isNoticed: count > 0 }).toEqual({ name, isNoticed: true })
  }
})
