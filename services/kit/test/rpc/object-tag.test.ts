import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  type MessageInitShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { TimestampSchema, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { FundingScheduleSchema } from '@coffer/proto/budgeting/v1/funding_schedule'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BankAccountSchema } from '@coffer/proto/ledger/v1/bank_account'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { untagged } from '@coffer/proto/options/v1/options'
import { expect, test } from '@jest/globals'
import { objectTag } from '../../src/rpc/object-tag.ts'

const schemas: DescMessage[] = [
  TransactionSchema,
  SpendingSchema,
  FundingScheduleSchema,
  BankAccountSchema,
  LinkSchema,
]

/** Returns a value of a field; another number gives another value. */
function sampleOf(field: DescField, n: number): unknown {
  if (field.fieldKind === 'list') return [`value ${n}`]
  if (field.message?.typeName === TimestampSchema.typeName) return timestampFromMs(n)
  if (field.message) return create(field.message, { amount: BigInt(n) } as Record<string, unknown>)
  const [sample] = [create(field.parent)] as unknown as Record<string, unknown>[]
  const type = typeof sample?.[field.localName]
  if (field.scalar === ScalarType.BOOL) return n % 2 === 1
  if (field.scalar === ScalarType.INT32) return n
  if (type === 'bigint' || /amount|deposit/.test(field.name)) return BigInt(n)
  return `value ${n}`
}

/** Returns a message in which every field is set; `change` replaces fields. */
function filled<Desc extends DescMessage>(schema: Desc, change: object = {}) {
  const values = schema.fields.map((field) => [field.localName, sampleOf(field, 1)])
  const all = { ...Object.fromEntries(values), ...change } as MessageInitShape<Desc>
  return create(schema, all)
}

test.each(schemas.flatMap((schema) => schema.fields.map((field) => [schema, field] as const)))(
  '%s %s: the tag changes with it exactly if it is an own field',
  (schema, field) => {
    const before = objectTag(schema, filled(schema))
    expect(before).toMatch(/^[\w-]{22}$/)
    expect(objectTag(schema, filled(schema))).toBe(before)
    const after = objectTag(schema, filled(schema, { [field.localName]: sampleOf(field, 2) }))
    expect(after !== before).toBe(!getOption(field, untagged))
  },
)

test('fields of other objects and derived amounts are no own fields', () => {
  const names = schemas.map(({ name, fields }) => {
    return [name, fields.filter((one) => getOption(one, untagged)).map((one) => one.localName)]
  })
  expect(Object.fromEntries(names)).toEqual({
    Transaction: [
      'aggregatorTransaction',
      'pendingAggregatorTransaction',
      'feedTransaction',
      'suggestions',
      'joinedBy',
      'provenance',
    ],
    Spending: [
      'currentAmount',
      'usedAmount',
      'nextContributionAmount',
      'isBehind',
      'periodSpentAmount',
      'settledAt',
      'graceUntil',
      'graceAmount',
    ],
    FundingSchedule: [],
    BankAccount: ['updatedAt', 'aggregatorBankAccount'],
    Link: ['updatedAt'],
  })
})

test('the tag leaves the message as it is', () => {
  const message = filled(SpendingSchema)
  objectTag(SpendingSchema, message)
  expect(message).toEqual(filled(SpendingSchema))
})
