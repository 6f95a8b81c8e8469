import { operationsOf } from '@coffer/client/build/copy'
import { apiDocument, apiRoutes } from '@coffer/client/build/document'
import { answerQuery } from '@coffer/gateway/http/queries/answer-query'
import { readExamples } from '@coffer/gateway/openapi/examples'
import { refusalGroup } from '@coffer/gateway/openapi/refusals'
import { expect, test } from '@jest/globals'
import { faultOf } from '../harness/answer-check.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, read key by key
type Json = any

const document = apiDocument()
const operations = operationsOf(document)
const routes = new Map(apiRoutes().map((route) => [route.id, route]))
const again = 'record the examples again: npm run examples'

/** Parts of the document with a schema and examples, each with its place. */
const answers = [
  ...operations.flatMap(({ operationId, responses }) =>
    Object.entries<Json>(responses).flatMap(([status, { content }]) =>
      mediaOf(`${operationId} ${status}`, content),
    ),
  ),
  ...Object.entries<Json>(document.components.responses).flatMap(([name, { content }]) =>
    mediaOf(name, content),
  ),
]
const requests = operations.flatMap(({ operationId, requestBody }) =>
  mediaOf(operationId, requestBody?.content),
)

function mediaOf(place: string, content: Json = {}): Media[] {
  return Object.entries<Json>(content)
    .filter(([type]) => type.endsWith('json'))
    .map(([, { schema, example, examples = {} }]) => {
      const only: [string, Json][] = example === undefined ? [] : [['example', { value: example }]]
      return { place, schema, examples: [...only, ...Object.entries<Json>(examples)] }
    })
}

interface Media {
  place: string
  schema: Json
  examples: [name: string, example: Json][]
}

/** Operations without an example, each with the reason. */
const without: Record<string, string> = {
  'getOpenApiDocument 200': 'the document would be in itself',
  receiveStripeEvent: 'Stripe sends it',
  receiveAggregatorWebhook: 'Plaid sends it',
  'getHealth 500': 'a database has to be away',
  OtherError: 'refused by HTTP itself, before the operation',
  CodesLocked: 'a hundred wrong codes come first',
  'verifyEmail 428': 'two people have to change to one address at a time',
}

test('every JSON body has an example', () => {
  const bare = [...requests, ...answers].filter(({ examples }) => examples.length === 0)
  const places = bare.map(({ place }) => place)
  const unique = [...new Set(places)]
  expect(unique.sort()).toEqual(Object.keys(without).sort())
})

test('every example of a refusal is of an operation like the one that shows it', () => {
  const shown = operations.flatMap(({ operationId, responses }) =>
    Object.entries<Json>(responses).flatMap(([status, { $ref }]) => {
      if (!$ref) return []
      const response = document.components.responses[$ref.split('/').at(-1)]
      const { examples = {} } = response.content['application/json']
      const [name] = Object.keys(examples)
      const refusal = readExamples().refusals.find(
        (one) => String(one.status) === status && one.name === name,
      )
      const route = routes.get(operationId)
      const isFitting =
        !refusal ||
        refusal.operations.includes(operationId) ||
        (route && refusal.group === refusalGroup(Number(status), route))
      return isFitting ? [] : `${operationId} ${status}: ${name}`
    }),
  )
  expect(shown).toEqual([])
})

test('a text about a provider is shown by no other operation', () => {
  const about = readExamples().refusals.filter(({ answer }) =>
    /plaid/i.test(JSON.stringify(answer)),
  )
  for (const { operations: ids, group } of about) {
    expect(group).toBeUndefined()
    expect(ids.filter((id) => !/Aggregator|Institution|LinkToken/.test(id))).toEqual([])
  }
})

/** Parameters without an example, each with the reason. */
const parametersWithout: Record<string, string> = {
  'Plaid-Verification': 'Plaid sends it',
  'Stripe-Signature': 'Stripe sends it',
  end: 'it has to lie within 12 months of the request',
}

test('every parameter has an example, and those of an operation are accepted together', () => {
  const bare = new Set<string>()
  const faults: unknown[] = []
  for (const { operationId, parameters } of operations) {
    for (const one of parameters) {
      if (one.example === undefined) bare.add(one.name)
      else if (faultOf(one.schema, one.example)) faults.push([operationId, one.name, one.example])
    }
    const route = routes.get(operationId)
    // `offset` excludes filters and `after`.
    const sent = parameters.filter(
      ({ in: part, name }: Json) => part === 'query' && name !== 'offset',
    )
    const query = Object.fromEntries(sent.map((one: Json) => [one.name, String(one.example ?? '')]))
    if (query.end === '') delete query.end
    for (const schema of route ? [route.query, answerQuery(route)] : []) {
      const error = schema?.safeParse(query).error
      if (error) faults.push([operationId, error.message])
    }
  }
  expect([...bare].sort()).toEqual(Object.keys(parametersWithout).sort())
  expect(faults).toEqual([])
})

/** Keys of bodies that have to lie in the future. */
const future = ['expiresAt', 'nextRecurrence']

test('dates that have to lie in the future do so for years', () => {
  for (const { operationId, requestBody } of operations) {
    // Estimates may begin at any date.
    if (operationId === 'estimateSpending') continue
    JSON.stringify(requestBody?.content ?? {}, (key, value) => {
      if (!future.includes(key) || typeof value !== 'string') return value
      expect(value >= '2036').toBe(true)
      return value
    })
  }
})

test('the household is the same in every example', () => {
  // Another person changes a timezone, so that the dates of the household stay.
  const { changeTimezone: _, ...others } = readExamples().operations
  const text = JSON.stringify(others)
  const ids = [...text.matchAll(/"userId":"(user_\w+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(1)
})

test('every example of an answer fits its schema, without other keys', () => {
  const faults = answers.flatMap(({ place, schema, examples }) =>
    examples.flatMap(([name, { value }]) => {
      const fault = faultOf(schema, value)
      return fault === null ? [] : `${place} ${name}: ${fault}; ${again}`
    }),
  )
  expect(faults).toEqual([])
})

test('every example of a body is accepted', () => {
  const faults = requests.flatMap(({ place, schema, examples }) =>
    examples.flatMap(([name, { value }]) => {
      const fault =
        faultOf(schema, value) ?? routes.get(place)?.body?.safeParse(value).error?.message
      return fault === undefined ? [] : `${place} ${name}: ${fault}; ${again}`
    }),
  )
  expect(faults).toEqual([])
})

/** Keys of schemas that no example has, each with the reason. */
const unseen: Record<string, string> = {
  'ApiKey.deletedAt': 'revoked keys are not listed',
  'RuleRun.error': 'a step has to fail ten times',
  'FeedLink.error': 'syncs have to stop after several failures',
  'FeedBankAccount.deletedAt': 'removed candidates are not listed',
  'HistoryEntry.deletedSpendingName': 'an expense or goal has to be deleted',
  'FeedTransaction.deletedAt': 'the provider has to remove a transaction',
  'EstimateCostResponse.hints': 'the rule has to skip months',
  'EstimateCostResponse.codedHints': 'the rule has to skip months',
  'ImportPreview.misfits': 'two bank accounts have to have the rows; UploadPreview has some',
  'Upload.keptCount': 'a row of a second file has to be joined to a transaction of the first',
  'ImportPreview.note': 'a balance has to be left out; Upload has some',
  'ImportPreview.codedNote': 'a balance has to be left out; Upload has some',
  'Fault.cause': 'only services refuse a value by a fault in it',
}

test('every key of an answer is in an example', () => {
  const seen = new Set<string>()
  for (const { schema, examples } of answers) {
    for (const [, { value }] of examples) note(schema, value, seen)
  }
  const missing = Object.entries<Json>(document.components.schemas).flatMap(
    ([name, { properties = {} }]) =>
      Object.keys(properties)
        .map((key) => `${name}.${key}`)
        .filter((key) => !seen.has(key)),
  )
  const faults = missing.filter((key) => !(key in unseen)).map((key) => `${key}: ${again}`)
  expect(faults).toEqual([])
  expect(Object.keys(unseen).filter((key) => !missing.includes(key))).toEqual([])
})

/** Notes which keys of named schemas a value has. */
function note(schema: Json, value: Json, seen: Set<string>, name = ''): void {
  if (schema.$ref) {
    const target = schema.$ref.split('/').at(-1)
    note(document.components.schemas[target], value, seen, target)
    return
  }
  const { allOf = [], anyOf = [], oneOf = [], items, properties = {} } = schema
  for (const part of [...allOf, ...anyOf, ...oneOf]) note(part, value, seen, name)
  if (Array.isArray(value)) {
    for (const one of items ? value : []) note(items, one, seen)
    return
  }
  for (const [key, one] of Object.entries<Json>(properties)) {
    if (typeof value !== 'object' || value === null || !(key in value)) continue
    seen.add(`${name}.${key}`)
    note(one, value[key], seen)
  }
}
