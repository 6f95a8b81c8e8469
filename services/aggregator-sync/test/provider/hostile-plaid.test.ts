import { sampleSize } from '@coffer/kit/testing/sample-size'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { UpstreamTransaction } from '../../src/provider/aggregator.ts'
import { endpoints, type PlaidMethod } from '../../src/provider/call-limit.ts'
import { readAnswer } from '../../src/provider/plaid-answer.ts'
import { faultOfAnswer, plaidFailure } from '../../src/provider/plaid-fault.ts'

const methods = Object.keys(endpoints) as PlaidMethod[]

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ' ', 'a', '\0', '\ud800'))
const scalar = fc.oneof(text, fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null))
const any = fc.oneof(
  { weight: 9, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constantFrom({}, [], { a: [1, { b: null }] }, [[[]]]) },
)
const id = fc.oneof(fc.constantFrom('a', 'b', '__proto__'), scalar)
const day = fc.oneof(fc.constantFrom('2026-03-04', '2026-02-30', '9999-12-31', '20260304'), scalar)
const amount = fc.oneof(
  fc.constantFrom(0.1 + 0.2, 1e21, 5e-324, '12.30', '-0', 'NaN', '1e99', '0x10', '1e100'),
  scalar,
)
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ ...fields, new_field: any, __proto__: any }, { requiredKeys: [] })
const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary }, { weight: 1, arbitrary: any })

const transaction = record({
  transaction_id: id,
  pending_transaction_id: id,
  account_id: id,
  amount,
  iso_currency_code: fc.oneof(fc.constantFrom('USD', 'usd'), scalar),
  unofficial_currency_code: scalar,
  date: day,
  authorized_date: day,
  name: any,
  merchant_name: any,
  original_description: any,
  pending: scalar,
  category: fc.oneof(fc.array(any), any),
  personal_finance_category: fc.oneof(record({ detailed: any }), any),
})
const account = record({
  account_id: id,
  persistent_account_id: id,
  name: any,
  mask: any,
  type: any,
  balances: mostly(record({ available: amount, current: amount, iso_currency_code: scalar })),
})
const rows = (arbitrary: fc.Arbitrary<unknown>) =>
  mostly(fc.array(mostly(arbitrary), { maxLength: 6 }))

/** An answer to any of the methods, in which fields are replaced, missing or additional. */
const answer = mostly(
  record({
    accounts: rows(account),
    added: rows(transaction),
    modified: rows(transaction),
    removed: rows(record({ transaction_id: id, account_id: id })),
    transactions: rows(transaction),
    total_transactions: scalar,
    next_cursor: fc.oneof(fc.constantFrom('', 'c'), scalar),
    has_more: fc.oneof(fc.boolean(), scalar),
    transactions_update_status: fc.oneof(fc.constantFrom('NOT_READY', 'constructor'), scalar),
    item: mostly(record({ error: any, products: any, webhook: any, institution_name: any })),
    institution: mostly(record({ institution_id: id, name: text, status: any, logo: any })),
    key: mostly(record({ kid: id, alg: scalar, x: text, created_at: scalar })),
    link_token: id,
    expiration: fc.oneof(fc.constant('2026-03-04T12:00:00Z'), scalar),
    access_token: id,
    item_id: id,
    error_type: scalar,
    error_code: fc.oneof(fc.constantFrom('ITEM_LOGIN_REQUIRED', 'constructor'), scalar),
    error_message: any,
  }),
)

/** A body: an answer, or one with bytes cut off, replaced or repeated. */
const body = fc
  .tuple(
    answer.map((value) => JSON.stringify(value)),
    fc.option(fc.tuple(fc.nat(), fc.nat(), fc.string({ unit: 'binary' })), { freq: 3 }),
  )
  .map(([json, change]) => {
    if (change === null) return new TextEncoder().encode(json)
    const [start, length, instead] = change
    const at = start % (json.length + 1)
    const end = at + (length % 9)
    return new TextEncoder().encode(json.slice(0, at) + instead + json.slice(end))
  })

const line = /^[^\p{C}\p{Zl}\p{Zp}]{0,300}$/u

function requireStorable(one: UpstreamTransaction): void {
  for (const name of [one.id, one.accountId, one.pendingId ?? 'none']) {
    expect(name).toMatch(/^[!-~]{1,200}$/)
  }
  expect(one.amount).toMatch(/^-?\d/)
  expect(new Date(one.date).toISOString().slice(0, 10)).toBe(one.date)
  for (const shown of [one.name, one.merchantName, one.originalDescription, one.category]) {
    expect([...(shown ?? '')].length).toBeLessThanOrEqual(300)
    expect((shown ?? '').isWellFormed()).toBe(true)
    expect(shown ?? '').not.toMatch(/[\n\0]/)
  }
  expect(Buffer.byteLength(one.raw ?? '')).toBeLessThanOrEqual(65_536)
}

test('hostile answers are read as rows that can be stored, or are unreadable', () => {
  const found = { pages: 0, rows: 0 }
  fc.assert(
    fc.property(body, (bytes) => {
      for (const method of methods) readAnswer(bytes, method)
      const page = readAnswer(bytes, 'transactionsSync')
      if (page === null || page === 'too-large') return
      const read = [...page.added, ...page.modified]
      for (const one of read) requireStorable(one)
      found.pages += 1
      found.rows += read.length
    }),
    { numRuns: sampleSize(1_000) },
  )
  // Most answers are hostile, but some must come through: otherwise nothing was tested.
  expect(found.pages > 5 && found.rows > 0).toBe(true)
})

test('hostile errors have a fault whose detail is a code or a status', () => {
  const status = fc.integer({ min: 201, max: 599 })
  fc.assert(
    fc.property(body, status, fc.constantFrom(...methods), (bytes, code, method) => {
      const fault = faultOfAnswer({ status: code, body: bytes }, method)
      expect(fault?.detail).toMatch(/^([A-Z][A-Z0-9_]{0,99}|status \d{3})$/)
      expect(plaidFailure(fault?.code ?? 'internal', fault ?? {}).message).toMatch(line)
    }),
    { numRuns: sampleSize(1_000) },
  )
})
