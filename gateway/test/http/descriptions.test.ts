import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pathIds } from '../../src/openapi/path-ids.ts'
import { createGateway } from '../gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document as its clients do
type Json = any

const gateway = await createGateway(
  {},
  {
    COFFER_FEED_ENABLED: 'true',
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_UPLOADS_ENABLED: 'true',
    COFFER_BILLING_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
  },
)
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

let document: Json
beforeAll(async () => {
  document = (await gateway.send('GET', '/api/openapi.json', { as: null })).body
})

/** Versions in the changelog, and the next one. */
const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')
const released = [...changelog.matchAll(/^## (\d+)\.(\d+)\.(\d+)/gm)]
const [, major, minor] = released[0] ?? []
const versions = [
  ...released.map(([heading]) => heading.replace('## ', '')),
  `${major}.${Number(minor) + 1}.0`,
  'preview',
]

/** Words that a description may have around a mere repetition of the name. */
const fillers = ['a', 'an', 'the', 'of', 'its', 'whether', 'is']

/** Returns whether a description says nothing, or only the name in words. */
function isEmpty(description: unknown, name: string): boolean {
  if (typeof description !== 'string') return true
  const [sentence = ''] = description.split('. ')
  const said = sentence.toLowerCase().match(/[a-z]+/g) ?? []
  const named = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()
  const words = (named.match(/[a-z]+/g) ?? []).filter((word) => !fillers.includes(word))
  return said.filter((word) => !fillers.includes(word)).join(' ') === words.join(' ')
}

/** Parts of the document that are no schemas. */
const unread = ['example', 'examples']

/** Every schema with properties in a part of the document, with its path in the document. */
function* objectsIn(part: Json, path: string): Generator<[string, Record<string, Json>]> {
  if (typeof part !== 'object' || part === null) return
  const { type, properties } = part
  if (type === 'object' && properties) yield [path, properties]
  for (const [key, value] of Object.entries(part)) {
    if (!unread.includes(key)) yield* objectsIn(value, `${path}/${key}`)
  }
}

function operations(): [string, Json][] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): [string, Json] => [
      `${method} ${path}`,
      operation,
    ]),
  )
}

test('every property of every schema says more than its name', () => {
  const properties = [...objectsIn(document, '')].flatMap(([path, shape]) =>
    Object.entries(shape).map(([name, schema]) => ({ name, schema, path: `${path}/${name}` })),
  )
  expect(properties.length).toBeGreaterThan(400)
  const empty = properties.filter(({ name, schema }) => isEmpty(schema.description, name))
  expect(empty.map(({ path }) => path)).toEqual([])
})

test('no two properties of a schema have the same description', () => {
  const repeated = [...objectsIn(document, '')].flatMap(([path, shape]) => {
    const texts = Object.values(shape).map(({ description }) => description)
    return texts.filter((text, index) => texts.indexOf(text) !== index).map((text) => [path, text])
  })
  expect(repeated).toEqual([])
})

test('every message is described', () => {
  const schemas = Object.entries<Json>(document.components.schemas)
  const empty = schemas.filter(([name, { description }]) => isEmpty(description, name))
  expect(empty.map(([name]) => name)).toEqual([])
})

test('every operation, parameter, header and tag is described', () => {
  const named = [
    ...operations().map(([name, { summary }]) => [name, summary]),
    ...operations().map(([name, { description }]) => [name, description]),
    ...operations().flatMap(([operation, { parameters }]) =>
      parameters.map(({ name, description }: Json) => [`${operation} ${name}`, description]),
    ),
    ...document.tags.map(({ name, description }: Json) => [name, description]),
  ]
  const empty = named.filter(([name, text]) => isEmpty(text, name.split(' ').at(-1)))
  expect(empty.map(([name]) => name)).toEqual([])
})

test('every operation names the version that has it', () => {
  const unknown = operations().filter(([, { 'x-since': since }]) => !versions.includes(since))
  expect(unknown.map(([name]) => name)).toEqual([])
})

test('every description of an ID in a path is used', () => {
  const text = JSON.stringify(document.paths)
  expect(Object.keys(pathIds).filter((name) => !text.includes(`{${name}}`))).toEqual([])
})

test('lists of values in bodies are those of answers', () => {
  const answered = Object.values<Json>(document.components.schemas).flatMap(({ properties = {} }) =>
    Object.values<Json>(properties).flatMap(({ enum: list }) => (list ? [list.join()] : [])),
  )
  const bodies = operations().map(([, { requestBody }]) => requestBody)
  const sent = [...objectsIn(bodies, '')].flatMap(([, shape]) => Object.entries(shape))
  const lists = sent.flatMap(([name, { enum: list }]) => (list ? [[name, list.join()]] : []))
  expect(lists.length).toBeGreaterThan(5)
  // No answer has the purpose of a challenge; the reading of a file has its choices as texts.
  const unanswered = ['purpose', 'delimiter', 'decimalMark']
  const strange = lists.filter(
    ([name, list]) => !(unanswered.includes(name) || answered.includes(list)),
  )
  expect(strange).toEqual([])
})
