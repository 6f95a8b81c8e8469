import type { Spending, Transaction } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { olderText } from './assigned-text.ts'

const reader = {
  language: 'en',
  locale: 'en-US',
  timezone: 'America/Chicago',
  today: '2026-11-29',
}
const envelope = { name: 'Rent', createdAt: '2026-11-20T03:00:00Z' } as Spending

test.each<[string, string[], string | null]>([
  ['none that is older', ['2026-11-19T06:00:00Z', '2026-11-21T06:00:00Z'], null],
  ['the only one', ['2026-11-18T06:00:00Z'], 'It is older than the envelope “Rent”'],
  ['one of two', ['2026-11-18T06:00:00Z', '2026-11-21T06:00:00Z'], 'One of them is older than'],
  ['two of two', ['2026-11-18T06:00:00Z', '2026-11-01T06:00:00Z'], '2 of them are older than'],
])('the note about many payments of an envelope names %s', (_, dates, text) => {
  const changed = dates.map((date) => ({ date, spendingAmount: 5 }) as Transaction)
  const said = olderText(changed, { envelope, reader })
  if (text === null) expect(said).toBeNull()
  else expect(said).toContain(text)
})

test('a payment that the envelope has not paid is no older one', () => {
  const changed = [{ date: '2026-11-01T06:00:00Z', spendingAmount: 0 } as Transaction]
  expect(olderText(changed, { envelope, reader })).toBeNull()
})
