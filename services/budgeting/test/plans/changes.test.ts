import { counted, holdTransaction } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { budgeting } from '../../src/service.ts'
import { depsOf } from '../advancing.ts'
import { at, createBudgetHousehold, type Household } from '../household.ts'
import { monthly } from '../samples.ts'

const booted = booting([ledger, budgeting], {}, '2023-10-09T13:32Z')

const fridays = 'DTSTART:20231013T050000Z\nRRULE:FREQ=WEEKLY'

function changeSchedule(home: Household, fundingScheduleId: string, patch: object) {
  const { schedules, bankAccountId, as } = home
  const paths = Object.keys(patch).map((key) => key.replace(/[A-Z]/g, (l) => `_${l.toLowerCase()}`))
  const request = { bankAccountId, fundingScheduleId, ...patch, updateMask: { paths } }
  return schedules.updateFundingSchedule(request, as)
}

function changePlan(home: Household, spendingId: string, patch: object) {
  const { spending, bankAccountId, as } = home
  const paths = Object.keys(patch).map((key) => key.replace(/[A-Z]/g, (l) => `_${l.toLowerCase()}`))
  return spending.updateSpending({ bankAccountId, spendingId, ...patch, updateMask: { paths } }, as)
}

async function statements<T>(run: () => Promise<T>): Promise<number> {
  return (await counted(booted.database('budgeting'), run)).count
}

const refused = (run: Promise<unknown>) => run.then(() => null, ConnectError.from)

test('a schedule with new dates recalculates all its envelopes', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const other = await home.pay({ name: 'Other' })
  const rent = await home.expense(fundingScheduleId)
  const paused = await home.goal(fundingScheduleId, { isPaused: true })
  await home.expense(other.fundingScheduleId)
  const { bankAccountId, envelopes, as } = home
  const move = { bankAccountId, toSpendingId: rent.spendingId, amount: 200n }
  await envelopes.transfer(move, as)
  const answer = await changeSchedule(home, fundingScheduleId, { ruleset: fridays })
  // Three Fridays before the due dates: 13, 20 and 27 October.
  expect(answer.spending).toMatchObject([
    { spendingId: rent.spendingId, currentAmount: 200n, nextContributionAmount: 266n },
    { spendingId: paused.spendingId, isPaused: true, nextContributionAmount: 333n },
  ])
  const friday = at('2023-10-13T05:00Z')
  expect(answer.fundingSchedule).toMatchObject({
    ruleset: fridays,
    nextRecurrence: friday,
    nextRecurrenceOriginal: friday,
  })
  expect((await home.list()).slice(0, 2)).toEqual(answer.spending)
  expect((await changeSchedule(home, fundingScheduleId, { name: 'Wages' })).spending).toEqual([])
})

test('a change of a schedule takes as many statements for fifty envelopes as for two', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  await Promise.all([1, 2].map(() => home.expense(fundingScheduleId)))
  const few = await statements(() => changeSchedule(home, fundingScheduleId, { ruleset: fridays }))
  for (let done = 0; done < 48; done += 12) {
    await Promise.all(Array.from({ length: 12 }, () => home.goal(fundingScheduleId)))
  }
  const ruleset = fridays.replace('13T', '06T')
  const many = await statements(async () => {
    const { spending } = await changeSchedule(home, fundingScheduleId, { ruleset })
    expect(spending).toHaveLength(50)
  })
  expect(many).toBeLessThanOrEqual(few)
})

test('a schedule whose date has passed refuses a change without a new date', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  booted.clock.now = new Date('2023-10-16T12:00Z')
  const stale = await refused(changeSchedule(home, fundingScheduleId, { name: 'Wages' }))
  expect(stale?.rawMessage).toBe('Next recurrence must be in the future')
  const nextRecurrence = at('2023-10-31T05:00Z')
  const answer = await changeSchedule(home, fundingScheduleId, { name: 'Wages', nextRecurrence })
  expect(answer.fundingSchedule).toMatchObject({
    name: 'Wages',
    nextRecurrence,
    nextRecurrenceOriginal: nextRecurrence,
  })
})

test('a used name is refused, and a missing schedule is not found', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  await home.pay({ name: 'Other' })
  expect(await refused(changeSchedule(home, fundingScheduleId, { name: 'Other' }))).toMatchObject({
    code: Code.AlreadyExists,
  })
  expect(await refused(changeSchedule(home, newId('fund'), {}))).toMatchObject({
    code: Code.NotFound,
  })
})

test('a changed plan has a new contribution and the same money', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const weekly = await home.pay({ name: 'Weekly', ruleset: fridays })
  const { spendingId } = await home.expense(fundingScheduleId, { name: 'Rent' })
  const { bankAccountId, envelopes, as } = home
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 100n }, as)
  const patch = { targetAmount: 3100n, fundingScheduleId: weekly.fundingScheduleId }
  const { spending } = await changePlan(home, spendingId, { ...patch, name: 'Flat' })
  expect(spending).toMatchObject({
    ...patch,
    name: 'Flat',
    currentAmount: 100n,
    nextContributionAmount: 1000n,
  })
  expect(await home.list()).toEqual([spending])
})

test('another rule moves the next date and the contribution', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const { spendingId, nextRecurrence } = await home.expense(fundingScheduleId, {
    nextRecurrence: undefined,
  })
  expect(nextRecurrence).toEqual(at('2023-11-01T05:00Z'))
  const ruleset = 'DTSTART:20231025T050000Z\nRRULE:FREQ=MONTHLY'
  const { spending } = await changePlan(home, spendingId, { ruleset })
  // Only one payday, 15 October, is before the new due date, 25 October.
  expect(spending).toMatchObject({
    nextRecurrence: at('2023-10-25T05:00Z'),
    nextContributionAmount: 1000n,
  })
  const { fundingSchedule, spending: plans } = await changeSchedule(home, fundingScheduleId, {
    ruleset: 'DTSTART:20231011T050000Z\nRRULE:FREQ=WEEKLY',
  })
  // Three Wednesdays until the due date: 11, 18 and 25 October.
  expect(fundingSchedule).toMatchObject({ nextRecurrence: at('2023-10-11T05:00Z') })
  expect(plans).toMatchObject([{ spendingId, nextContributionAmount: 333n }])
  booted.clock.now = new Date('2023-10-25T05:10Z')
  const stale = await refused(changePlan(home, spendingId, { ruleset: monthly }))
  expect(stale && problemsOf(stale)).toHaveProperty('nextRecurrence')
})

test('pausing keeps the contribution, resuming recalculates it', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const { spendingId } = await home.expense(fundingScheduleId)
  const paused = await changePlan(home, spendingId, { isPaused: true, targetAmount: 400n })
  expect(paused.spending).toMatchObject({ isPaused: true, nextContributionAmount: 500n })
  const resumed = await changePlan(home, spendingId, { isPaused: false })
  expect(resumed.spending).toMatchObject({ isPaused: false, nextContributionAmount: 200n })
})

test('a change of a plan takes few statements', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const { spendingId } = await home.expense(fundingScheduleId)
  const counts: number[] = []
  for (const targetAmount of [400n, 500n, 600n, 700n, 800n]) {
    counts.push(await statements(() => changePlan(home, spendingId, { targetAmount })))
  }
  // The counts include concurrent event handlers: the minimum of several runs is compared.
  expect(Math.min(...counts)).toBeLessThanOrEqual(statementsMax.updatePlan)
})

test('a change of a plan uses the schedule as of its save', async () => {
  const home = await createBudgetHousehold(booted)
  const { bankAccountId } = home
  const { fundingScheduleId } = await home.pay()
  const { spendingId } = await home.expense(fundingScheduleId)
  const change = await holdTransaction(
    booted.database('budgeting'),
    sql.unsafe`
      UPDATE funding_schedules SET ruleset = ${fridays}, next_recurrence = '2023-10-13T05:00Z'
      WHERE bank_account_id = ${bankAccountId} AND funding_schedule_id = ${fundingScheduleId}`,
    sql.unsafe`
      UPDATE plan_books SET version = version + 1 WHERE bank_account_id = ${bankAccountId}`,
  )
  const planning = changePlan(home, spendingId, { targetAmount: 600n })
  await change.untilAwaited()
  await change.release()
  const { spending } = await planning
  // The new schedule has three Fridays before the due date.
  expect(spending).toMatchObject({ targetAmount: 600n, nextContributionAmount: 200n })
})

test('an invalid change of a plan is refused', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const rent = await home.expense(fundingScheduleId, { name: 'Rent' })
  const trip = await home.goal(fundingScheduleId, { name: 'Trip' })
  await home.expense(fundingScheduleId, { name: 'Food' })
  const refusal = async (spendingId: string, patch: object) => {
    const error = await refused(changePlan(home, spendingId, patch))
    return error && (problemsOf(error) ?? Code[error.code])
  }
  expect(await refusal(rent.spendingId, { name: 'Food' })).toEqual({
    name: 'is taken by another one of the bank account: Food',
  })
  expect(await refusal(trip.spendingId, { name: 'Food' })).toBeNull()
  expect(await refusal(rent.spendingId, { fundingScheduleId: newId('fund') })).toBe('NotFound')
  expect(await refusal(newId('spnd'), {})).toBe('NotFound')
  expect(await refusal(trip.spendingId, { ruleset: monthly })).toEqual({
    ruleset: 'A goal takes no ruleset',
  })
  await home.accounts.archiveBankAccount({ bankAccountId: home.bankAccountId }, home.as)
  expect(await refusal(rent.spendingId, {})).toBe('FailedPrecondition')
  expect(await refused(changeSchedule(home, fundingScheduleId, {}))).toMatchObject({
    code: Code.FailedPrecondition,
  })
})

test('concurrent changes of a schedule and its plans leave consistent contributions', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const plans = await Promise.all([1, 2, 3].map(() => home.expense(fundingScheduleId)))
  const rules = [fridays, monthly, fridays]
  await Promise.all([
    ...rules.map((ruleset) => changeSchedule(home, fundingScheduleId, { ruleset })),
    ...plans.map(({ spendingId }) => changePlan(home, spendingId, { targetAmount: 600n })),
    home.expense(fundingScheduleId, { targetAmount: 600n }),
  ])
  const before = await home.list()
  const ruleset = before[0]?.nextContributionAmount === 200n ? monthly : fridays
  await changeSchedule(home, fundingScheduleId, { ruleset })
  const { spending } = await changeSchedule(home, fundingScheduleId, {
    ruleset: ruleset === monthly ? fridays : monthly,
  })
  // The schedule has the ruleset of `before` again, so the contributions are the same.
  expect(spending).toEqual(before)
})

test('concurrent moves of a plan to other schedules all succeed', async () => {
  const home = await createBudgetHousehold(booted)
  const schedules = [await home.pay(), await home.pay({ name: 'Other' })]
  const { spendingId } = await home.expense(schedules[0]?.fundingScheduleId ?? '')
  const moves = Array.from({ length: 24 }, (_, index) => {
    const fundingScheduleId = schedules[index % 2]?.fundingScheduleId
    return changePlan(home, spendingId, { fundingScheduleId }).then(() => null, String)
  })
  expect(await Promise.all(moves)).toEqual(moves.map(() => null))
})

test('a change that loses its compare-and-set is decided again', async () => {
  const { pay, expense, list, accountId, bankAccountId } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId, { name: '0' })
  const writers = [depsOf(booted), depsOf(booted), depsOf(booted), depsOf(booted)]
  const scope = { accountId, bankAccountId, spendingIds: [spendingId] }
  const changes = writers.flatMap(({ write }) =>
    Array.from({ length: 5 }, () =>
      write({
        scope,
        decide: ({ plans }) => ({
          reply: null,
          plans: plans.map((plan) => ({ ...plan, name: `${Number(plan.name) + 1}` })),
        }),
      }),
    ),
  )
  await Promise.all(changes)
  expect(await list()).toMatchObject([{ name: '20' }])
})
