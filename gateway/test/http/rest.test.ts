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
import { ForecastSchema } from '@coffer/proto/budgeting/v1/forecast'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { ImportSchema } from '@coffer/proto/ledger/v1/import'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { internal, null_when_empty, omit } from '@coffer/proto/options/v1/options'
import { BankAccountSyncHealthSchema, SyncHealthSchema } from '@coffer/proto/sync/v1/health'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { toRest } from '../../src/http/answers/rest.ts'

// biome-ignore lint/suspicious/noExplicitAny: a message or a JSON value, read key by key
type Any = any

function read<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Any {
  return JSON.parse(JSON.stringify(toRest(schema, message)))
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
    return [field.localName, field.fieldKind === 'list' ? fc.array(value, { maxLength: 3 }) : value]
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
  return Object.fromEntries(shown.map((field) => [field.localName, plainField(field, message)]))
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

const answered = [ForecastSchema, ImportSchema, LinkSchema, SpendingSchema, SyncHealthSchema]
test.each([...answered, TransactionSchema])(
  'the JSON of %s is that of a plain rendering',
  (type) => {
    const property = fc.property(messagesOf(type), (message) => {
      expect(JSON.stringify(toRest(type, message))).toBe(JSON.stringify(plain(type, message)))
    })
    fc.assert(property, { numRuns: 20 })
  },
)
