import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findLink, findLinks } from '@coffer/aggregator-sync/connections/aggregator-link.sql'
import { definitions } from '@coffer/cli/process/services'
import { faultsOfReads } from '@coffer/kit/testing/plans'
import { newId } from '@coffer/kit/values/id'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import WebSocket from 'ws'
import { startCoffer } from '../harness/coffer.ts'
import { type Answer, call, type Person } from '../harness/person.ts'
import { feedAccount, startLunchFlow } from '../providers/lunch-flow.ts'
import { createObjects } from './account-objects.ts'
import {
  bodySchemaOf,
  type IdField,
  type Ids,
  idFieldsOf,
  type Operation,
  sampleOf,
} from './id-fields.ts'

// The servers start when this file is loaded, because the list of tests is made from the OpenAPI
// document of a running Coffer.
const provider = await startLunchFlow()
provider.accounts.push(feedAccount(1))
const coffer = await startCoffer({
  COFFER_FEED_ENABLED: 'true',
  COFFER_AGGREGATOR_ENABLED: 'true',
  COFFER_AGGREGATOR_CLIENT_ID: 'client',
  COFFER_AGGREGATOR_CLIENT_SECRET: 'secret',
  // No request reaches the aggregator: its links belong to other accounts.
  COFFER_AGGREGATOR_URL: 'http://127.0.0.1:1',
  COFFER_FEED_ALLOWED_URLS: provider.url,
})
const operations = await operationsOf()

let alice: Person
let bob: Person
let own: Ids
let foreign: Ids
let before: unknown

beforeAll(async () => {
  alice = await coffer.person()
  bob = await coffer.person()
  own = await createObjects(alice, provider)
  foreign = await createObjects(bob, provider)
  before = await everythingOf(bob, foreign)
})

afterAll(async () => {
  await coffer[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

describe.each(operations)('$method $path', (operation) => {
  const fields = idFieldsOf(operation)

  test.each(fields)('refuses an ID of another account as $name', async (field) => {
    const theirs = await send(operation, field, foreign[field.prefix] ?? newId(field.prefix))
    const unknown = await send(operation, field, newId(field.prefix))
    // The answer does not reveal that the ID exists in another account.
    expect(theirs).toEqual(unknown)
    if (field.in === 'body') expect([400, 404]).toContain(theirs.status)
    else expect(theirs).toMatchObject({ status: 404, body: { error: expect.any(String) } })
  })

  test.each(fields)('refuses malformed IDs and IDs of another kind as $name', async (field) => {
    const good = own[field.prefix] ?? newId(field.prefix)
    const otherKind = newId(field.prefix === 'bac' ? 'link' : 'bac')
    const cut = [`${field.prefix}_1`, good.slice(0, -1), `${good}0`, good.toUpperCase()]
    for (const bad of [otherKind, newId('file'), ...cut, 'x'.repeat(200)]) {
      const { status, body } = await send(operation, field, bad)
      expect({ bad, status }).toEqual({ bad, status: 400 })
      const named = field.in === 'path' ? `begins with ${field.prefix}_` : field.name.at(-1)
      expect(JSON.stringify(body)).toContain(named)
    }
  })
})

test('the test has an object of every kind in the reference', () => {
  const kinds = new Set(operations.flatMap(idFieldsOf).map(({ prefix }) => prefix))
  expect([...kinds].filter((kind) => !foreign[kind])).toEqual([])
  expect(kinds.size).toBeGreaterThan(9)
})

test('the other account is unchanged, and the audit finds nothing', async () => {
  expect(await everythingOf(bob, foreign)).toEqual(before)
  expect(await auditLedger(coffer.booted.database('ledger'))).toEqual([])
})

test.each(definitions)('the short reads of $name are bounded, without locks', async (service) => {
  const { name, schema } = service
  if (name === 'aggregator-sync') await readAggregatorLinks()
  const reads = coffer.booted.database(name).reads()
  expect(await faultsOfReads({ url: coffer.booted.databaseUrl, schema }, reads)).toEqual([])
  // Every marked statement was sent; those of the host have no table.
  const sent = reads.filter((text) => /\sFROM\s/.test(text)).length
  expect(sent).toBeGreaterThanOrEqual(await marksOf(name))
})

/** Sends the short reads of aggregator links, which no request here has. */
async function readAggregatorLinks(): Promise<void> {
  const database = coffer.booted.database('aggregator-sync')
  const linkId = newId('link')
  await findLinks(database, 'acct_none', [linkId])
  await findLink(database, { accountId: 'acct_none', linkId })
}

/** Counts the statements of a service that its source marks as short reads. */
async function marksOf(name: string): Promise<number> {
  const source = join(import.meta.dirname, '../../services', name, 'src')
  const files = (await readdir(source, { recursive: true })).filter((file) =>
    file.endsWith('.sql.ts'),
  )
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), 'utf8')))
  return texts.flatMap((text) => text.match(/\b(read|asRead)\(/g) ?? []).length
}

/** Returns the operations in the server's OpenAPI document that take IDs. */
async function operationsOf(): Promise<Operation[]> {
  const { paths } = (await call(coffer.baseUrl, 'GET', '/openapi.json')).body
  return Object.entries<Record<string, Operation>>(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path,
      })),
    )
    .filter((operation) => idFieldsOf(operation).length > 0)
}

/**
 * Sends a request of `alice`, the first person, with `id` in the tested field and IDs of her own
 * objects in all other fields.
 */
async function send(operation: Operation, field: IdField, id: string) {
  const { method, path, parameters, requestBody } = operation
  const at = (name: string) => (field.in !== 'body' && field.name[0] === name ? id : null)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name) => at(name) ?? ownAs(operation, name))
  const queried = parameters.filter((one) => one.in === 'query' && at(one.name))
  const query = queried.map(({ name }) => `?${name}=${id}`).join('')
  const to = `${filled}${query}`.replace('/api', '')
  if (operation['x-websocket']) return upgrade(to)
  const schema = bodySchemaOf(operation)
  const body = schema && sampleOf(schema, own)
  if (field.in === 'body') put(body, field.name, id)
  const asSession = !operation.security.some((one) => 'key' in one)
  const form = requestBody?.content['multipart/form-data'] ? aFile() : null
  const content = form ? { form } : body ? { body } : {}
  return refusalOf(await alice.call(method, to, { ...content, asSession }), id)
}

function ownAs(operation: Operation, name: string): string {
  const [field] = idFieldsOf(operation).filter((one) => one.in === 'path' && one.name[0] === name)
  return own[field?.prefix ?? ''] ?? newId(field?.prefix ?? 'none')
}

function aFile(): FormData {
  const form = new FormData()
  form.set('data', new File(['a,b\n1,2'], 'a.csv'))
  return form
}

function put(body: unknown, [key = '', ...rest]: string[], id: string): void {
  const object = body as Record<string, unknown>
  if (rest.length > 0) put(object[key], rest, id)
  else object[key] = id
}

/** Returns the error of a request, or of a bulk request's item, with `ID` in place of the ID. */
function refusalOf({ status, body }: Pick<Answer, 'status' | 'body'>, id: string) {
  const [item] = body?.results ?? []
  const shown = JSON.parse(JSON.stringify(item ?? body).replaceAll(id, 'ID'))
  return { status: item?.problems ? 400 : status, body: shown }
}

function upgrade(to: string): Promise<{ status: number; body: unknown }> {
  const { authorization } = alice
  const headers = { authorization, origin: coffer.baseUrl }
  const socket = new WebSocket(`${coffer.baseUrl.replace('http', 'ws')}/api${to}`, { headers })
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }))
    })
    socket.on('open', () => {
      socket.terminate()
      resolve({ status: 101, body: null })
    })
    socket.on('error', reject)
  })
}

/** Returns all data that a person can read, except forecasts, which change with time. */
async function everythingOf(person: Person, ids: Ids) {
  const readable = operations.filter(
    ({ method, path, 'x-websocket': isSocket }) =>
      method === 'GET' &&
      !isSocket &&
      path.includes('/bank_accounts') &&
      !path.includes('forecast'),
  )
  const found: Record<string, unknown> = {}
  for (const operation of readable) {
    const kinds = new Map(idFieldsOf(operation).map(({ name, prefix }) => [name[0], prefix]))
    const filled = operation.path.replaceAll(
      /\{(\w+)\}/g,
      (_all, name) => ids[kinds.get(name) ?? ''] ?? '',
    )
    found[operation.path] = (await person.call('GET', filled.replace('/api', ''))).body
  }
  return { ...found, links: await person.get('/links'), feeds: await person.get('/feed/link') }
}
