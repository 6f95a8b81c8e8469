import { sampleSize } from '@coffer/kit/testing/sample-size'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readAnswer } from '../../src/provider/feed-answer.ts'
import type { OfferedTransaction } from '../../src/provider/lunch-flow.ts'
import { selectRows, toProviderTransaction } from '../../src/syncs/feed-row.ts'

const bank = { currency: 'USD', lastDay: '2027-03-04' }
const amountMax = 2n ** 53n - 1n

function readRows(rows: readonly OfferedTransaction[], of = bank) {
  const { readable, skipped, ids } = selectRows(rows, of)
  return {
    transactions: readable.map((row) => toProviderTransaction(row, of.currency)),
    skipped,
    ids,
  }
}

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', ' ', 'a', '\0', '\ud800'))
const scalar = fc.oneof(text, fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null))
const day = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom('2026-03-04', '2026-02-30', '0000-00-00', '9999-12-31', '2026-3-4', '20260304'),
)
const amount = fc.oneof(
  fc.integer({ min: -999_999, max: 999_999 }).map((cents) => cents / 100),
  fc.constantFrom(0.1 + 0.2, 1.005, 1e21, 5e-324, '12.30', '-0', 'NaN', '1e99', '0x10'),
)

/** A row of the provider in which some fields are replaced, missing or additional. */
const row = fc.record(
  {
    id: fc.oneof(fc.constantFrom('a', 'b', 'c', null), scalar),
    accountId: scalar,
    amount: fc.oneof(amount, scalar),
    currency: fc.oneof(fc.constantFrom('USD', 'usd', 'EUR', 'JPY'), scalar),
    date: fc.oneof(day, scalar),
    merchant: fc.oneof(text, fc.jsonValue()),
    description: fc.oneof(text, fc.jsonValue()),
    isPending: fc.oneof(fc.boolean(), scalar),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

const rows = fc.array(fc.oneof({ weight: 4, arbitrary: row }, fc.jsonValue()), { maxLength: 12 })

const list = fc.record(
  {
    transactions: fc.oneof({ weight: 4, arbitrary: rows }, fc.jsonValue()),
    accounts: fc.oneof({ weight: 4, arbitrary: rows }, fc.jsonValue()),
    balance: fc.oneof(row, fc.jsonValue()),
    total: scalar,
  },
  { requiredKeys: [] },
)

/** A body: a list, any JSON, or either with bytes cut off, replaced or repeated. */
const body = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: list }, fc.jsonValue()).map((value) => JSON.stringify(value)),
    fc.option(fc.tuple(fc.nat(), fc.nat(), fc.string({ unit: 'binary' })), { freq: 3 }),
  )
  .map(([json, change]) => {
    if (change === null) return new TextEncoder().encode(json)
    const [start, length, instead] = change
    const at = start % (json.length + 1)
    const end = at + (length % 9)
    return new TextEncoder().encode(json.slice(0, at) + instead + json.slice(end))
  })

/** The ledger's bounds of a transaction (docs/syncs.md#import-calls). */
function requireStorable(answer: Uint8Array): void {
  const read = readAnswer(answer, 'transactions')
  if (read === null || read === 'too-large') return
  const { transactions, skipped, ids } = readRows(read.rows)
  expect(transactions.length + skipped).toBe(ids.size)
  expect(new Set(transactions.map((one) => one.providerTransactionId)).size).toBe(
    transactions.length,
  )
  for (const one of transactions) {
    expect(one.providerTransactionId).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u)
    expect(one.providerTransactionId.isWellFormed()).toBe(true)
    expect(ids.has(one.providerTransactionId)).toBe(true)
    expect(one.amount >= -amountMax && one.amount <= amountMax).toBe(true)
    expect(new Date(one.date).toISOString().slice(0, 10)).toBe(one.date)
    expect(one.date >= '1970-01-01' && one.date <= bank.lastDay).toBe(true)
    expect(one.currency).toBe('USD')
    expect(Buffer.byteLength(one.raw ?? '')).toBeLessThanOrEqual(65_536)
    expect([one.displayName === '', one.name === '']).toEqual([false, false])
  }
}

test('hostile answers are read as rows that the ledger takes, or as none', () => {
  fc.assert(
    fc.property(body, (answer) => {
      readAnswer(answer, 'accounts')
      readAnswer(answer, 'balance')
      requireStorable(answer)
    }),
    { numRuns: sampleSize(1_000) },
  )
})

test('the order of an answer changes neither IDs nor the days of transactions', () => {
  fc.assert(
    fc.property(rows, (sent) => {
      const of = (some: unknown[]) => {
        const json = new TextEncoder().encode(JSON.stringify({ transactions: some }))
        const list = readAnswer(json, 'transactions')
        if (list === null || list === 'too-large') throw new Error('unread')
        const { ids, transactions } = readRows(list.rows)
        return [[...ids].sort(), transactions.map((one) => one.date)]
      }
      const [ids] = of(sent)
      expect(of(sent.toReversed())[0]).toEqual(ids)
      const days = of(sent)[1]
      expect(days).toEqual([...(days ?? [])].sort())
    }),
    { numRuns: sampleSize(200) },
  )
})
