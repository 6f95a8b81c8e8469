import { readFile } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { aBankAccount, anEnvelope, anOperation } from '../../test/imports/samples.ts'
import { type Envelope, graceAmountOf } from '../book/envelope.ts'
import { endOperation, findEnvelope, postHeld, startOperation } from '../money/operation.ts'
import { assignTo, giveBack, redate, take } from '../money/spend.ts'
import { closeEnvelope, endGrace, endPeriod, type PeriodEnd } from './period.ts'

function end(held: Partial<Envelope>, period: Partial<PeriodEnd> = {}) {
  const expenses = held.currentAmount ?? 0n
  return endPeriod(
    {
      bankAccount: aBankAccount({ availableBalance: 5000n, currentBalance: 5000n, expenses }),
      envelopes: [anEnvelope(held)],
      operation: anOperation('spnd_e/2026-02-01'),
    },
    { spendingId: 'spnd_e', targetAmount: 1000n, carryOver: false, transaction: null, ...period },
  )
}

describe('the end of a period', () => {
  // docs/money.md#funding-and-periods: min(held, max(0, target − spent)) becomes free to use.
  test.each([
    { held: 1000n, spent: 0n, left: 0n },
    { held: 400n, spent: 600n, left: 0n },
    { held: 0n, spent: 1000n, left: 0n },
    { held: 250n, spent: 0n, left: 0n },
    // The target is 1000 and nothing is spent: 1000 become free to use.
    { held: 3000n, spent: 0n, left: 2000n },
    // The target of 1000 is spent: nothing becomes free to use.
    { held: 2000n, spent: 1000n, left: 2000n },
    // More than the target of 1000 is spent: nothing becomes free to use.
    { held: 700n, spent: 1300n, left: 700n },
    // 300 of an earlier period came back: they and the target of 1000 become free to use.
    { held: 1500n, spent: -300n, left: 200n },
  ])('of one that holds $held and spent $spent leaves $left', ({ held, spent, left }) => {
    const { settlement } = end({ currentAmount: held, periodSpent: spent })
    expect(settlement.envelopes).toEqual([
      anEnvelope({ currentAmount: left, periodSpent: 0n, version: 2n }),
    ])
    expect(settlement.bankAccount).toMatchObject({ expenses: left, availableBalance: 5000n })
    expect(settlement.entries).toMatchObject([
      { pot: 'envelope', cause: 'period-closed', delta: left - held, amount: left },
    ])
  })

  test('keeps everything when it carries over, but begins to count anew', () => {
    const { settlement } = end({ currentAmount: 900n, periodSpent: 100n }, { carryOver: true })
    expect(settlement.envelopes).toMatchObject([{ currentAmount: 900n, periodSpent: 0n }])
  })

  test.each([
    // The transaction takes the whole target of 1000: nothing becomes free to use.
    { held: 2000n, gave: 1000n, left: 1000n },
    // The envelope holds 400 of the transaction's amount of 1000, and gives all 400.
    { held: 400n, gave: 400n, left: 0n },
    { held: 0n, gave: 0n, left: 0n },
  ])('with an automatic transaction from $held spends before it returns', (row) => {
    const date = new Date('2026-02-01T06:00:00Z')
    const transaction = { transactionId: 'txn_a', name: 'Rent', amount: 1000n, date }
    const decision = end({ currentAmount: row.held }, { transaction })
    expect(decision.settlement.envelopes).toMatchObject([{ currentAmount: row.left }])
    expect(decision.settlement.bankAccount).toMatchObject({
      availableBalance: 4000n,
      currentBalance: 4000n,
      expenses: row.left,
    })
    expect(decision.transaction).toMatchObject({
      ...transaction,
      spendingId: 'spnd_e',
      spendingAmount: row.gave,
      createdBySpendingId: 'spnd_e',
      createdByFundingScheduleId: null,
    })
  })

  test('of a closed envelope changes nothing, not even by its transaction', () => {
    const date = new Date('2026-02-01T06:00:00Z')
    const transaction = { transactionId: 'txn_a', name: 'Rent', amount: 1000n, date }
    const decision = end({ closedAt: date }, { transaction })
    expect(decision).toMatchObject({ transaction: null, settlement: { entries: [] } })
    expect(decision.settlement.bankAccount.availableBalance).toBe(5000n)
  })
})

test('a closed envelope is journaled to zero and stays as a tombstone', () => {
  const goal = anEnvelope({ spendingType: 'goal', currentAmount: 700n, usedAmount: 50n })
  const started = startOperation({
    bankAccount: aBankAccount({ availableBalance: 1000n, goals: 700n }),
    envelopes: [goal],
    operation: anOperation(),
  })
  const envelope = started.envelopes.get('spnd_e')
  if (envelope !== undefined) {
    closeEnvelope(started, envelope)
  }
  const { bankAccount, envelopes, entries } = endOperation(started)
  expect(bankAccount).toMatchObject({ availableBalance: 1000n, goals: 0n })
  expect(envelopes).toEqual([
    { ...goal, currentAmount: 0n, usedAmount: 0n, version: 2n, closedAt: anOperation().now },
  ])
  expect(entries.map(({ pot, delta, amount }) => [pot, delta, amount])).toEqual([
    ['envelope', -700n, 0n],
    ['used', -50n, 0n],
  ])
})

describe('a grace (docs/money/grace.md)', () => {
  const graceUntil = new Date('2026-02-07T06:00:00Z')
  const within = new Date('2026-02-06T06:00:00Z')

  /** Returns a started operation after the period's end, with `next` for the next period. */
  function graced(held: bigint, spent: bigint, next: bigint) {
    const closed = end({ currentAmount: held, periodSpent: spent }, { graceUntil })
    const { bankAccount, envelopes } = closed.settlement
    const started = startOperation({ bankAccount, envelopes, operation: anOperation('op_2') })
    const envelope = started.envelopes.get('spnd_e')
    if (envelope === undefined) throw new Error('no envelope')
    postHeld(started, envelope, { delta: next, cause: 'funding', causeId: 'fund_1' })
    const pay = (amount: bigint, day = within) =>
      take(started, envelope, { amount, day, cause: 'transaction', causeId: 'txn_1' })
    return { started, envelope, pay }
  }

  test('has the figures of the table', async () => {
    const docs = new URL('../../../../docs/money/grace.md', import.meta.url)
    const rows = [...(await readFile(docs, 'utf8')).matchAll(/^\|( +[\d,]+ \|){7}$/gm)]
    const numbers = rows.map(([row]) => {
      return [...row.replaceAll(',', '').matchAll(/\d+/g)].map(([digits]) => BigInt(digits))
    })
    expect(numbers.length).toBeGreaterThan(6)
    for (const [held = 0n, spent = 0n, next = 0n, paid = 0n, ...after] of numbers) {
      const { started, envelope, pay } = graced(held, spent, next)
      pay(paid)
      const before = envelope.currentAmount
      const { bankAccount, envelopes } = endOperation(started)
      const locked = { bankAccount, envelopes, operation: anOperation('op_3') }
      const of = { spendingId: 'spnd_e', carryOver: false, graceUntil: envelope.graceUntil }
      const ended = endGrace(locked, { ...of, graceUntil: of.graceUntil ?? graceUntil })
      const [last = envelope] = ended.settlement.envelopes
      const seen = [before - last.currentAmount, last.currentAmount, last.periodSpent]
      expect([held, spent, next, paid, ...seen]).toEqual([held, spent, next, paid, ...after])
      expect(last).toMatchObject({ graceUntil: null, graceUnspent: 0n, graceMissing: 0n })
    }
  })

  test('counts what is given back as if it had not been taken', () => {
    const amount = fc.bigInt(0n, 2000n)
    fc.assert(
      fc.property(amount, amount, fc.array(amount, { maxLength: 4 }), (held, next, paid) => {
        const { started, envelope, pay } = graced(held, 0n, next)
        const before = { ...envelope }
        const given = paid.map((one) => pay(one))
        const of = { spendingId: 'spnd_e', refundAmount: null, date: within }
        for (const spendingAmount of given) {
          const assignment = { ...of, spendingAmount }
          giveBack(started, assignment, { cause: 'deletion', causeId: 'txn_1' })
        }
        expect(envelope).toEqual(before)
      }),
    )
  })

  test('keeps its money from later days, and ends once or with the next period', () => {
    const { started, envelope, pay } = graced(1000n, 0n, 300n)
    expect([pay(800n, graceUntil), graceAmountOf(envelope)]).toEqual([300n, 1000n])
    const { bankAccount, envelopes } = endOperation(started)
    const locked = { bankAccount, envelopes, operation: anOperation('op_3') }
    const of = { spendingId: 'spnd_e', carryOver: false }
    const other = endGrace(locked, { ...of, graceUntil: within })
    expect(other.settlement.entries).toEqual([])
    const kept = endGrace(locked, { ...of, carryOver: true, graceUntil })
    expect(kept.settlement.envelopes).toMatchObject([{ currentAmount: 1000n, graceUntil: null }])
    const closing = { ...of, targetAmount: 1000n, transaction: null }
    const next = endPeriod(locked, closing).settlement
    expect(next.envelopes).toMatchObject([{ currentAmount: 0n, graceUntil: null }])
    expect(next.entries).toMatchObject([{ cause: 'period-closed', delta: -1000n }])
  })
})

test('a refund of an earlier period has the figures of docs/money/refunds.md', async () => {
  const docs = new URL('../../../../docs/money/refunds.md', import.meta.url)
  const rows = [...(await readFile(docs, 'utf8')).matchAll(/^\|(?: +(\d+) \|){7}$/gm)]
  const numbers = rows.map(([row]) => [...row.matchAll(/\d+/g)].map(([digits]) => BigInt(digits)))
  expect(numbers).toHaveLength(6)
  for (const [periodSpent = 0n, graceUnspent = 0n, amount = 0n, ...after] of numbers) {
    const grace = graceUnspent === 0n ? {} : { graceUntil: new Date('2026-02-07'), graceUnspent }
    const held = anEnvelope({ currentAmount: 1000n, periodSpent, ...grace })
    const bankAccount = aBankAccount({ expenses: 1000n })
    const started = startOperation({ bankAccount, envelopes: [held], operation: anOperation() })
    started.refundable.set('spnd_e', 1000n)
    const envelope = started.envelopes.get('spnd_e') ?? held
    const change = { amount: -amount, day: anOperation().now, causeId: 'txn_1', isRefund: true }
    const assignment = assignTo(started, envelope, change)
    const refunded = [envelope.periodSpent, envelope.graceUnspent]
    const given = { ...assignment, date: change.day }
    giveBack(started, given, { cause: 'transaction', causeId: 'txn_1' })
    expect([...refunded, envelope.periodSpent, envelope.graceUnspent]).toEqual(after)
    expect(envelope).toEqual({ ...held, version: envelope.version })
  }
})

describe('a payment of an earlier period', () => {
  const due = new Date('2026-01-09T06:00:00Z')
  const [earlier, day] = [new Date('2026-01-08T06:00:00Z'), due]
  const of = { spendingId: 'spnd_e', refundAmount: null, spendingAmount: 65n }
  const reason = { cause: 'transaction', causeId: 'txn_1' } as const

  /** Returns an operation after the end of a period, at which the envelope holds 260. */
  function opened() {
    const { bankAccount, envelopes } = end(
      { currentAmount: 260n },
      { due, carryOver: true },
    ).settlement
    const started = startOperation({ bankAccount, envelopes, operation: anOperation('op_2') })
    const envelope = findEnvelope(started, 'spnd_e')
    if (envelope === null) throw new Error('no envelope')
    return { started, envelope }
  }

  test('does not count as spent in this one, neither taken nor given back', () => {
    const { started, envelope } = opened()
    take(started, envelope, { ...reason, amount: 65n, day: earlier })
    expect(envelope).toMatchObject({ currentAmount: 195n, periodSpent: 0n, periodSpentOn: null })
    take(started, envelope, { ...reason, amount: 40n, day })
    expect(envelope).toMatchObject({ currentAmount: 155n, periodSpent: 40n, periodSpentOn: day })
    giveBack(started, { ...of, date: earlier }, reason)
    expect(envelope).toMatchObject({ currentAmount: 220n, periodSpent: 40n, periodSpentOn: day })
  })

  test('counts once its day is corrected to one of this period, and no longer after that', () => {
    const { started, envelope } = opened()
    take(started, envelope, { ...reason, amount: 65n, day: earlier })
    redate(started, { ...of, date: earlier }, day)
    expect(envelope).toMatchObject({ currentAmount: 195n, periodSpent: 65n, periodSpentOn: day })
    redate(started, { ...of, date: day }, earlier)
    expect(envelope).toMatchObject({ currentAmount: 195n, periodSpent: 0n, periodSpentOn: null })
    expect(endOperation(started).envelopes).toMatchObject([{ periodSpent: 0n, version: 2n }])
  })

  test('counts in the closed period while the grace of that runs, also beyond its money', () => {
    const { started, envelope } = opened()
    Object.assign(envelope, { graceUntil: new Date('2026-01-14'), graceUnspent: 0n })
    take(started, envelope, { ...reason, amount: 65n, day: earlier })
    expect(envelope).toMatchObject({ periodSpent: 0n, graceUnspent: -65n })
    giveBack(started, { ...of, date: earlier }, reason)
    expect(envelope).toMatchObject({ currentAmount: 260n, periodSpent: 0n, graceUnspent: 0n })
  })
})
