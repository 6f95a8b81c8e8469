import { setFlagsFromString } from 'node:v8'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { LinkSchema, UpdateLinkRequestSchema } from '@coffer/proto/ledger/v1/link'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { patchOf, toMessage } from '../../src/rpc/message.ts'

const createdAt = new Date('2026-01-02T03:04:05Z')
const at = (time: string) => timestampFromDate(new Date(`2026-01-02T${time}Z`))
const link = {
  accountId: 'acct_1',
  linkId: 'link_1',
  linkType: 'manual',
  feedLinkId: null,
  institutionName: 'Bank',
  description: null,
  createdAt,
  createdBy: 'user_1',
  updatedAt: new Date('2026-01-02T03:04:05.120Z'),
  deletedAt: null,
}

test('an entity becomes a message: null is unset, unknown fields are ignored', () => {
  const message = toMessage(LinkSchema, link)
  expect(message.createdAt).toEqual(timestampFromDate(createdAt))
  expect(message.deletedAt).toBeUndefined()
  expect(message.description).toBeUndefined()
  expect(Object.keys(message)).not.toContain('accountId')
  expect(fromBinary(LinkSchema, toBinary(LinkSchema, message))).toEqual(message)
})

test('toMessage gives the same message as create', () => {
  const init = { ...link, feedLinkId: undefined, description: undefined, deletedAt: undefined }
  const times = { createdAt: timestampFromDate(createdAt), updatedAt: at('03:04:05.120') }
  expect(toMessage(LinkSchema, link)).toEqual(create(LinkSchema, { ...init, ...times }))
  const first = toMessage(TransactionSchema, { categories: null })
  const second = toMessage(TransactionSchema, { amount: 1n })
  expect(first).toEqual(create(TransactionSchema))
  expect(toBinary(TransactionSchema, first)).toHaveLength(0)
  expect(second.categories).not.toBe(first.categories)
  const provenance = [{ field: 'name', by: 'rule', ruleId: 'rule_1' }]
  const nested = create(TransactionSchema, { provenance })
  expect(toMessage(TransactionSchema, { provenance })).toEqual(nested)
  expect(toMessage(TransactionSchema, { provenance: nested.provenance })).toEqual(nested)
  const early = toMessage(LinkSchema, { ...link, createdAt: new Date(-1) })
  expect(early.createdAt).toStrictEqual(timestampFromDate(new Date(-1)))
})

test('V8 keeps no properties of a large message in a hash table', () => {
  setFlagsFromString('--allow-natives-syntax')
  const isFast = new Function('message', 'return %HasFastProperties(message)')
  setFlagsFromString('--no-allow-natives-syntax')
  const fields = SpendingSchema.fields.map(({ localName, message }) => [
    localName,
    message ? createdAt : 'text',
  ])
  expect(isFast(toMessage(SpendingSchema, Object.fromEntries(fields)))).toBe(true)
})

const update = (paths: string[], fields = {}) =>
  patchOf(
    UpdateLinkRequestSchema,
    create(UpdateLinkRequestSchema, { ...fields, updateMask: { paths } }),
  )

test('a patch has the fields of the mask: a value, or null when unset', () => {
  const fields = { institutionName: 'New', description: 'kept out' }
  expect(update(['institution_name'], fields)).toEqual({ institutionName: 'New' })
  expect(update(['description'])).toEqual({ description: null })
  expect(update(['description'], { description: '' })).toEqual({ description: '' })
  expect(update([], fields)).toEqual({})
  expect(patchOf(UpdateLinkRequestSchema, create(UpdateLinkRequestSchema, fields))).toEqual({})
})

test('a mask with an unknown field is refused', () => {
  expect(() => update(['institutionName'])).toThrow(
    expect.objectContaining({ code: Code.InvalidArgument }),
  )
})
