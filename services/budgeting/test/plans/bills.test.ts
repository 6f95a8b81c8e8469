import { readFile } from 'node:fs/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { ledger } from '@coffer/ledger/service'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { expect, test } from '@jest/globals'
import { budgeting } from '../../src/service.ts'
import { advanceOnly } from '../advancing.ts'
import { at, createBudgetHousehold } from '../household.ts'

const booted = booting([ledger, budgeting], {}, '2023-11-26T15:00Z')

/** Noon in Chicago of a day like `3 Dec`, about the turn of 2023. */
const noonOf = (day: string) =>
  new Date(`${day} ${day.endsWith('Jan') ? 2024 : 2023} 18:00:00 GMT+0000`)

/** Creates the rent of the table in docs/plans.md; `has` are fields like `graceDays 5`. */
async function createRent(has = '–', amount = 80_000n) {
  booted.clock.now = noonOf('26 Nov')
  const opening = { availableBalance: 180_000n, currentBalance: 180_000n }
  const home = await createBudgetHousehold(booted, opening)
  const { bankAccountId, as } = home
  const { fundingScheduleId } = await home.pay()
  const words = has === '–' ? [] : has.split(', ').map((word) => word.split(' '))
  const fields = words.map(([key, days]) => [key, days === undefined || Number(days)])
  const nextRecurrence = at('2023-12-01T06:00Z')
  const plan = { name: 'Rent', targetAmount: 80_000n, nextRecurrence }
  const { spendingId } = await home.expense(fundingScheduleId, {
    ...plan,
    ...Object.fromEntries(fields),
  })
  const moved = { bankAccountId, toSpendingId: spendingId, amount }
  await home.envelopes.transfer(moved, as)
  const key = { bankAccountId, spendingId }
  const pay = (day: Date, amount = 80_000n) => {
    const bill = { name: 'Rent', amount, date: timestampFromDate(day), adjustsBalance: true }
    return home.transactions.createTransaction({ ...bill, ...key }, as)
  }
  return { home, key, pay }
}

type Rent = Awaited<ReturnType<typeof createRent>>

async function sumsOf({ home }: Rent) {
  const [rent] = await home.list()
  const sums = [rent?.currentAmount, (await home.balances())?.free]
  return sums.map((one) => (Number(one) / 100).toFixed(2)).join(' / ')
}

/** The steps of the table, each on a day. */
function takeStep({ home, key, pay }: Rent, step: string, day: Date) {
  if (step === 'paid') return pay(day)
  if (step === 'settled') return home.spending.settleSpending(key, home.as)
  if (step === 'grace ended') return home.spending.endGrace(key, home.as)
  if (step === 'skipped') return home.spending.skipSpending(key, home.as)
  throw new Error(`no step is called ${step}`)
}

async function run([is = '', has = '']: string[], days: string[]) {
  const rent = await createRent(has)
  const steps = is === 'not paid' ? [] : is.split(', ').map((step) => step.split(' on '))
  const seen = [is, has]
  let taken = 0
  for (const day of days) {
    for (; taken < steps.length; taken += 1) {
      const [step = '', on = ''] = steps[taken] ?? []
      if (noonOf(on) >= noonOf(day)) break
      booted.clock.now = noonOf(on)
      await takeStep(rent, step, noonOf(on))
    }
    await advanceOnly(booted, rent.home, noonOf(day))
    seen.push(await sumsOf(rent))
  }
  return seen
}

test('the table of due days in docs/plans.md is true', async () => {
  const docs = await readFile(new URL('../../../../docs/plans.md', import.meta.url), 'utf8')
  const [table = ''] = /\| the rent is[\s\S]*?\n\n/.exec(docs) ?? []
  const [columns = [], , ...rows] = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()))
  expect(rows.length).toBeGreaterThan(4)
  for (const row of rows) expect(await run(row, columns.slice(2))).toEqual(row)
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})

test('a bill that settles by itself was paid on the day of its payment', async () => {
  const { home, key, pay } = await createRent('settlesWhenSpent')
  booted.clock.now = noonOf('28 Nov')
  await pay(noonOf('26 Nov'))
  const { explanation } = await home.spending.explainSpending(key, home.as)
  expect(explanation?.sentences[0]).toMatch(/^It was paid on Nov 26, 2023, /)
})

test('a bill is settled once: repeated, at the same time, and until it is undone', async () => {
  const { home, key, pay } = await createRent()
  await pay(noonOf('26 Nov'))
  const bill = async () => (await home.list())[0]
  const stale = { periodSpentAmount: 80_000n, nextContributionAmount: 80_000n }
  expect(await bill()).toMatchObject(stale)
  expect((await bill())?.settledAt).toBeUndefined()
  const keyed = { ...home.as, headers: { [headers.idempotencyKey]: newId('k') } }
  const settling = [1, 2, 3].map(() => home.spending.settleSpending(key, keyed))
  const answers = (await Promise.all(settling)).map(({ spending }) => spending)
  expect(answers).toEqual(answers.map(() => answers[0]))
  const settledAt = timestampFromDate(noonOf('26 Nov'))
  const settled = { nextContributionAmount: 26_666n, settledAt }
  expect(await bill()).toMatchObject(settled)
  const { explanation } = await home.spending.explainSpending(key, home.as)
  expect(explanation?.sentences[0]).toBe('It was paid on Nov 26, 2023, so this is for Jan 1, 2024.')
  // The request that is repeated after the due date does not settle the bill of January.
  await advanceOnly(booted, home, noonOf('2 Dec'))
  await home.spending.settleSpending(key, keyed)
  expect(await bill()).toMatchObject({ periodSpentAmount: 0n })
  expect((await bill())?.settledAt).toBeUndefined()
  await home.spending.settleSpending(key, home.as)
  expect((await bill())?.settledAt).toEqual(timestampFromDate(noonOf('2 Dec')))
  for (let time = 1; time <= 2; time += 1) {
    const { spending, hints } = await home.spending.unsettleSpending(key, home.as)
    expect([spending?.settledAt, hints]).toEqual([undefined, []])
  }
})

test('a bill that settles by itself stays paid after DELETE, and the answer says why', async () => {
  const { home, key, pay } = await createRent('settlesWhenSpent')
  await pay(noonOf('26 Nov'))
  const { spending, hints } = await home.spending.unsettleSpending(key, home.as)
  expect(spending?.settledAt).toBeDefined()
  expect(hints).toEqual([expect.stringMatching(/^The bill stays paid: .* settlesWhenSpent/)])
})

test('a due date is left out once: at the same time, repeated, and after a failure', async () => {
  const { home, key } = await createRent()
  const due = at('2023-12-01T06:00Z')
  // The request that failed between its two steps has journaled the date.
  await home.envelopes.noteSkippedPeriod({ ...key, due }, home.as)
  const keyed = { ...home.as, headers: { [headers.idempotencyKey]: newId('k') } }
  await Promise.all([1, 2].map(() => home.spending.skipSpending(key, keyed)))
  const january = at('2024-01-01T06:00Z')
  expect(await home.list()).toMatchObject([{ nextRecurrence: january, isBehind: false }])
  const histories = booted.client('ledger', HistoryService)
  const { entries } = await histories.listHistory({ ...key, limit: 9 }, home.as)
  const noted = entries.filter(({ cause }) => cause === 'period-skipped')
  expect(noted).toMatchObject([{ delta: 0n, occurrence: due }])
  const { explanation } = await home.spending.explainSpending(key, home.as)
  expect(explanation).toMatchObject({ skippedDates: [due] })
  expect(explanation?.sentences[0]).toBe('The due date on Dec 1, 2023 is skipped.')
  const skipping = [1, 2].map(() => home.spending.skipSpending(key, home.as))
  const outcomes = await Promise.allSettled(skipping)
  const moves = outcomes.filter(({ status }) => status === 'fulfilled').length
  const nextRecurrence = at(`2024-0${moves + 1}-01T06:00Z`)
  expect(await home.list()).toMatchObject([{ nextRecurrence }])
})

test('a refused request to leave out a due date journals nothing', async () => {
  const { home, key } = await createRent()
  const other = { ...home.as, headers: { [headers.ifMatch]: 'of-another-state' } }
  await expect(home.spending.skipSpending(key, other)).rejects.toThrow('has changed since')
  const histories = booted.client('ledger', HistoryService)
  const { entries } = await histories.listHistory({ ...key, limit: 9 }, home.as)
  expect(entries.map(({ cause }) => cause)).not.toContain('period-skipped')
})

test('a bill paid late from money of the next period does not settle that one', async () => {
  const { home, key, pay } = await createRent('graceDays 14, settlesWhenSpent', 1n)
  await advanceOnly(booted, home, noonOf('30 Nov'))
  const out = { ...key, fromSpendingId: key.spendingId, amount: 79_999n }
  await home.envelopes.transfer(out, home.as)
  await advanceOnly(booted, home, noonOf('15 Dec'))
  const graceUntil = at('2023-12-16T06:00Z')
  const paying = { currentAmount: 40_001n, graceAmount: 1n, graceUntil }
  expect(await home.list()).toMatchObject([paying])
  const { explanation } = await home.spending.explainSpending(key, home.as)
  expect(explanation).toMatchObject({ progress: 40_000n, graceAmount: 1n, graceUntil })
  expect(explanation?.sentences[1]).toBe(
    'Another $0.01 stays there until Dec 15, 2023, for the bill of Dec 1, 2023.',
  )
  await pay(noonOf('15 Dec'))
  const [bill] = await home.list()
  expect(bill).toMatchObject({ currentAmount: 0n, periodSpentAmount: 0n, graceAmount: 0n })
  expect(bill?.settledAt).toBeUndefined()
  await Promise.all([1, 2].map(() => advanceOnly(booted, home, noonOf('16 Dec'))))
  expect((await home.list())[0]?.graceUntil).toBeUndefined()
})

test('a late bill that is marked as paid frees its money once, and no other', async () => {
  const { home, key, pay } = await createRent('graceDays 5, settlesWhenSpent')
  await advanceOnly(booted, home, noonOf('2 Dec'))
  const more = { ...key, toSpendingId: key.spendingId, amount: 100n }
  await home.envelopes.transfer(more, home.as)
  await pay(noonOf('2 Dec'), 78_000n)
  expect(await home.list()).toMatchObject([{ currentAmount: 2_100n, graceAmount: 2_000n }])
  const stale = { ...home.as, headers: { [headers.ifMatch]: 'of-another-state' } }
  await expect(home.spending.endGrace(key, stale)).rejects.toThrow('has changed since')
  for (let time = 1; time <= 2; time += 1) {
    const ends = [1, 2].map(() => home.spending.endGrace(key, home.as))
    for (const { spending } of await Promise.all(ends)) {
      expect(spending).toMatchObject({ currentAmount: 100n, graceAmount: 0n })
      expect([spending?.graceUntil, spending?.settledAt]).toEqual([undefined, undefined])
    }
  }
  await advanceOnly(booted, home, noonOf('8 Dec'))
  expect(await home.list()).toMatchObject([{ currentAmount: 100n }])
  const histories = booted.client('ledger', HistoryService)
  const { entries } = await histories.listHistory({ ...key, limit: 9 }, home.as)
  const closed = entries.filter(({ cause, delta }) => cause === 'period-closed' && delta !== 0n)
  expect(closed).toMatchObject([{ delta: -2_000n, occurrence: at('2023-12-01T06:00Z') }])
  expect(await auditLedger(booted.database('ledger'))).toEqual([])
})
