import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { toMessage } from '@coffer/kit/rpc/message'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { coded, internal, null_when_empty, omit } from '@coffer/proto/options/v1/options'
import { BankAccountSyncHealthSchema, SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { afterAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Answer, renderAnswer, writeAnswer } from '../../src/http/answers/answer.ts'
import { codedKey, codedValue } from '../../src/http/answers/coded-text.ts'
import { createGateway } from '../gateway.ts'
import { listRoutes } from '../routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: a message or a JSON value, read key by key
type Any = any

function read<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Any {
  return renderAnswer(schema, message)
}

test('an unset field is null over REST, or omitted by its option', () => {
  const link = {
    accountId: 'acct_1',
    linkId: 'link_1',
    linkType: 'manual',
    feedLinkId: null,
    institutionName: 'Bank',
    description: null,
    createdAt: new Date('2026-01-02T03:04:05Z'),
    createdBy: 'user_1',
    updatedAt: new Date('2026-01-02T03:04:05.120Z'),
    deletedAt: null,
  }
  const { accountId: _account, feedLinkId: _feed, ...shown } = link
  const createdAt = '2026-01-02T03:04:05Z'
  const updatedAt = '2026-01-02T03:04:05.120Z'
  expect(read(LinkSchema, toMessage(LinkSchema, link))).toEqual({ ...shown, createdAt, updatedAt })
  const feed = create(LinkSchema, { feedLinkId: '', description: '' })
  expect(read(LinkSchema, feed)).toMatchObject({ feedLinkId: '', description: '' })
})

test('amounts are integers; an empty list is null, a blank text omitted by option', () => {
  const amount = BigInt(Number.MIN_SAFE_INTEGER)
  const transaction = read(TransactionSchema, create(TransactionSchema, { amount }))
  expect(transaction).toMatchObject({ amount: Number(amount), isPending: false, categories: null })
  expect(transaction).not.toHaveProperty('spendingAmount')
  const health = read(BankAccountSyncHealthSchema, create(BankAccountSyncHealthSchema))
  expect(health).toMatchObject({ bankAccountId: '', failuresInRow: 0 })
  expect(health).not.toHaveProperty('feedStatus')
})

const character = fc.nat(0xffff).map((code) => String.fromCharCode(code))
const scalars: Partial<Record<ScalarType, fc.Arbitrary<Any>>> = {
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.DOUBLE]: fc.double({ noNaN: true, noDefaultInfinity: true }),
  [ScalarType.INT32]: fc.maxSafeInteger(),
  [ScalarType.INT64]: fc.bigInt(-(2n ** 63n), 2n ** 63n),
  // With quotes, control characters and lone surrogates.
  [ScalarType.STRING]: fc.string({ unit: character, maxLength: 4 }),
}
const isInstant = (schema: DescMessage) => schema.typeName === TimestampSchema.typeName
const instants = fc.record({
  seconds: fc.bigInt(-(10n ** 10n), 10n ** 11n),
  nanos: fc.nat(999999999),
})

function messagesOf(schema: DescMessage): fc.Arbitrary<Any> {
  if (isInstant(schema)) return instants
  const values = schema.fields.map((field) => {
    const value = field.message ? messagesOf(field.message) : scalars[field.scalar as ScalarType]
    if (!value) throw new Error(`no values of ${field}`)
    const many = { list: fc.array(value, { maxLength: 3 }), map: fc.dictionary(fc.string(), value) }
    return [field.localName, many[field.fieldKind as keyof typeof many] ?? value]
  })
  const record = fc.record(Object.fromEntries(values), { requiredKeys: [] })
  return record.map((sent) => create(schema, sent))
}

/** The plain rendering, field by field: undefined for a value that the answer omits. */
function plain(schema: DescMessage, message: Any): Any {
  if (isInstant(schema)) {
    const ms = Number(message.seconds) * 1000 + Math.floor(message.nanos / 1e6)
    return new Date(ms).toISOString().replace('.000Z', 'Z')
  }
  const shown = schema.fields.filter((field) => !getOption(field, internal))
  const codes = shown
    .filter((field) => getOption(field, coded) && message[field.localName] !== undefined)
    .map(({ localName: name }) => [codedKey(name), codedValue(message[name])])
  const fields = shown.map((field) => [field.localName, plainField(field, message)])
  return Object.fromEntries([...fields, ...codes])
}

function plainField(field: DescField, message: Any): Any {
  const value = message[field.localName]
  const isOmitted = getOption(field, omit)
  const unset = isOmitted ? undefined : null
  const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT
  if (value === undefined || (isOmitted && isImplicit && value === '')) return unset
  const one = (part: Any) => {
    if (field.message) return plain(field.message, part)
    return typeof part === 'bigint' ? Number(part) : part
  }
  if (field.fieldKind !== 'list') return one(value)
  if (value.length > 0) return value.map(one)
  return getOption(field, null_when_empty) ? null : isOmitted ? undefined : []
}

/** The message types of an answer, those nested in another answer too. */
function typesOf(answer: Answer): DescMessage[] {
  if ('kind' in answer) return [answer]
  if ('json' in answer) return []
  if ('list' in answer) return typesOf(answer.list)
  if ('optional' in answer) return typesOf(answer.optional)
  if ('nullable' in answer) return typesOf(answer.nullable)
  if ('object' in answer) return Object.values(answer.object).flatMap(typesOf)
  return [answer.message, ...Object.values(answer.with).flatMap(typesOf)]
}

const gateway = await createGateway({})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})
const answers = listRoutes(gateway).flatMap(({ answer }) => (answer ? [answer] : []))

test('each message of an answer is made of its values, and has the JSON of them', () => {
  const types = new Set(answers.flatMap(typesOf))
  expect(types.size).toBeGreaterThan(40)
  for (const type of types) {
    expect(toMessage(type, {})).toEqual(create(type))
    const property = fc.property(messagesOf(type), (message) => {
      expect(toMessage(type, message)).toEqual(message)
      expect(writeAnswer(type, message)).toBe(JSON.stringify(plain(type, message)))
    })
    fc.assert(property, { numRuns: 20 })
  }
})

test('no answer adds a key that its message has', () => {
  const joined = answers.flatMap((answer) => ('message' in answer ? [answer] : []))
  expect(joined.length).toBeGreaterThan(0)
  for (const { message, with: more } of joined) {
    const own = message.fields.map(({ localName }) => localName)
    expect(Object.keys(more).filter((key) => own.includes(key))).toEqual([])
  }
})

test('keys without a shape are kept; an undefined value is omitted, null is kept', () => {
  const answer = {
    message: SyncHealthSchema,
    with: { links: { optional: { list: LinkSchema } }, page: { nullable: { json: {} } } },
  }
  const message = create(SyncHealthSchema)
  const value = { message, links: undefined, page: null, other: [1n < 2n], none: undefined }
  const own = plain(SyncHealthSchema, message)
  expect(renderAnswer(answer, value)).toEqual({ ...own, page: null, other: [true] })
  expect(writeAnswer({ object: {} }, {})).toBe('{}')
  expect(writeAnswer({ list: { json: {} } }, [undefined, null, 1])).toBe('[null,null,1]')
  expect(() => writeAnswer(answer, undefined)).toThrow('required part')
})
