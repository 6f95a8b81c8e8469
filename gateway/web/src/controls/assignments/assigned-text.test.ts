import type { Spending, Transaction } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { assignedText, isUsual, manyText } from './assigned-text.ts'

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
  const said = manyText(changed, { envelope, reader })
  if (text === null) expect(said).toBe('')
  else expect(said).toContain(text)
})

test('a payment that the envelope has not paid is no older one', () => {
  const changed = [{ date: '2026-11-01T06:00:00Z', spendingAmount: 0 } as Transaction]
  expect(manyText(changed, { envelope, reader })).toBe('')
})

test.each([
  ['all that the bill costs', { targetAmount: 70 }, true],
  ['less', { targetAmount: 80 }, false],
  ['all of a bill that is paid', { settledAt: '2026-11-28T06:00:00Z' }, false],
  ['all of an envelope that does not settle by itself', { settlesWhenSpent: false }, false],
])('an older payment of %s says whether it counts as the coming bill', (_, fields, isPaid) => {
  const bill = { nextRecurrence: '2026-12-04T06:00:00Z', settlesWhenSpent: true, settledAt: null }
  const paid = { ...envelope, ...bill, targetAmount: 70, periodSpentAmount: 20, ...fields }
  const old = { date: '2026-11-01T06:00:00Z', originalName: 'Shop', amount: 50, spendingAmount: 50 }
  const payment = old as Transaction
  const says = { reader, money: String, rest: 'free' as const }
  const texts = [assignedText(payment, paid, says), manyText([payment], { envelope: paid, reader })]
  const said = texts.map((text) => /counts as the bill of Dec 4/.test(text))
  expect(said).toEqual([isPaid, isPaid])
})

test.each([
  ['before the last due date', {}, true],
  ['while its bill is awaited', { graceUntil: '2026-12-07T06:00:00Z' }, false],
  ['since the last due date', { lastRecurrence: '2026-11-24T06:00:00Z' }, false],
])('a payment of a day %s says if it takes the money of the coming bill', (_, fields, isSaid) => {
  const last = { lastRecurrence: '2026-11-26T06:00:00Z', graceUntil: null, spendingType: 'expense' }
  const payment = {
    date: '2026-11-25T06:00:00Z',
    originalName: 'Shop',
    amount: 5,
    spendingAmount: 5,
  }
  const of = { ...envelope, ...last, ...fields } as Spending
  const said = [
    assignedText(payment as Transaction, of, { reader, money: String, rest: 'free' }),
    manyText([payment as Transaction], { envelope: of, reader }),
  ]
  const isNamed = said.map((text) => /before Nov 26, when (its|the) last bill/.test(text))
  expect(isNamed).toEqual([isSaid, isSaid])
})

test.each([
  ['its amount from free to use', {}, true],
  ['its amount, which counts by itself', { periodSpentAmount: 60 }, false],
  ['its amount, which never counts by itself', { settlesWhenSpent: false }, true],
  ['a part of its amount', { targetAmount: 90 }, false],
  ['its amount, when it is paid', { settledAt: '2026-11-28T06:00:00Z' }, false],
  ['its amount in the grace of the last one', { lastRecurrence: '2026-11-24T06:00:00Z' }, false],
  ['its amount, while the last one is late', { graceUntil: '2026-12-02T06:00:00Z' }, false],
  ['the amount of groceries', { carryOver: true }, false],
])('a payment of a bill of %s may be marked as paid', (_, fields, isOffered) => {
  const bill = { nextRecurrence: '2026-12-01T06:00:00Z', settlesWhenSpent: true, settledAt: null }
  const kept = { spendingType: 'expense', graceDays: 5, graceUntil: null, carryOver: null }
  const amounts = { targetAmount: 60, periodSpentAmount: 0, lastRecurrence: null }
  const of = { ...envelope, ...bill, ...kept, ...amounts, ...fields } as Spending
  const paid = { date: '2026-11-27T06:00:00Z', originalName: 'Rent', amount: 60, spendingAmount: 5 }
  const says = { reader, money: String, rest: 'free' as const }
  const half = { ...paid, amount: 30, spendingAmount: 2.5 } as Transaction
  const said = [
    assignedText(paid as Transaction, of, says),
    manyText([half, half], { envelope: of, reader }),
  ]
  const asks = said.map((text) => /bill of Dec 1, mark it as paid/.test(text))
  expect(asks).toEqual([isOffered, isOffered])
  expect(isUsual({ ...paid, spendingAmount: 60 } as Transaction, of, says)).toBe(
    !(isOffered && !of.settlesWhenSpent),
  )
})

test.each([
  ['nothing', 0, 'It holds nothing, so it pays nothing.', 'so all of the payment comes from free'],
  ['a part', 20, 'It held 20, and pays no more.', 'It held 20; the rest comes from free to use.'],
])('of an imported payment that gets %s, no other money is said to pay', (_, taken, ...texts) => {
  const payment = { date: '2026-11-29T06:00:00Z', originalName: 'Rent', amount: 60 }
  const [imported, typed] = (['upload', 'manual'] as const).map((source) =>
    assignedText({ ...payment, source, spendingAmount: taken } as Transaction, envelope, {
      reader,
      money: String,
      rest: 'free',
    }),
  )
  expect(imported).toContain(texts[0])
  expect(typed).toContain(texts[1])
})
