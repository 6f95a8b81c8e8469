import { counted, eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { problemsOf } from '@coffer/kit/rpc/errors'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { Code, type ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { storeAmounts } from '../../src/reconciliation/amounts.service.ts'
import { budgeting } from '../../src/service.ts'
import { depsOf } from '../advancing.ts'
import { at, createBudgetHousehold } from '../household.ts'
import { monthly } from '../samples.ts'

const Kept = z.object({ version: z.bigint(), contribution: z.bigint() })

const booted = booting([ledger, budgeting], {}, '2023-10-09T13:32Z')

const counting = <T>(run: () => Promise<T>) => counted(booted.database('budgeting'), run)

test('a new envelope is empty and has a contribution', async () => {
  const { pay, expense, goal, list } = await createBudgetHousehold(booted)
  const { fundingScheduleId, nextRecurrence } = await pay()
  expect(nextRecurrence).toEqual(at('2023-10-15T05:00Z'))
  const rent = await expense(fundingScheduleId, { name: 'Rent' })
  expect(rent).toMatchObject({
    name: 'Rent',
    spendingType: 'expense',
    ruleset: monthly,
    fundingScheduleId,
    targetAmount: 1000n,
    currentAmount: 0n,
    usedAmount: 0n,
    nextContributionAmount: 500n,
    isBehind: false,
    isPaused: false,
    autoCreateTransaction: false,
    nextRecurrence: at('2023-11-01T05:00Z'),
  })
  expect(rent.lastRecurrence).toBeUndefined()
  const trip = await goal(fundingScheduleId, { name: 'Rent', isPaused: true })
  expect(trip).toMatchObject({ spendingType: 'goal', isPaused: true })
  expect(trip.ruleset).toBeUndefined()
  expect(await list()).toEqual([rent, trip])
})

test('a transfer changes the contribution in replies, reads and rows', async () => {
  const { pay, expense, list, envelopes, spending, bankAccountId, as } =
    await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId)
  const move = { bankAccountId, toSpendingId: spendingId, amount: 500n }
  const moved = await envelopes.transfer(move, as)
  const [fresh] = await list()
  expect(fresh).toMatchObject({ currentAmount: 500n, nextContributionAmount: 250n })
  const request = { bankAccountId, envelopes: moved.envelopes }
  const answer = await spending.recalculateSpending(request, as)
  expect(answer.spending).toEqual([fresh])
  const older = moved.envelopes.map((envelope) => ({ ...envelope, currentAmount: 0n, version: 1n }))
  await spending.recalculateSpending({ bankAccountId, envelopes: older }, as)
  expect(await list()).toEqual([fresh])
})

test('an event stores the amounts without a call of recalculateSpending', async () => {
  const { pay, expense, envelopes, bankAccountId, as } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 500n }, as)
  const stored = () =>
    booted.database('budgeting').pool.oneFirst(sql.type(z.object({ amount: z.bigint() }))`
      SELECT next_contribution_amount AS amount FROM spending WHERE spending_id = ${spendingId}`)
  expect(await eventually(stored, (amount) => amount === 250n)).toBe(250n)
})

test('an explanation has the figures of the shown contribution', async () => {
  const { pay, expense, list, envelopes, spending, bankAccountId, as } =
    await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId)
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 333n }, as)
  const [shown] = await list()
  const ids = { bankAccountId, spendingId }
  const { explanation } = await spending.explainSpending(ids, as)
  expect(explanation).toMatchObject({
    spendingId,
    targetAmount: 1000n,
    progress: 333n,
    method: 'split',
    need: 667n,
    divisor: 2n,
    remainder: 1n,
    nextContributionAmount: shown?.nextContributionAmount,
    fundingDates: [at('2023-10-15T05:00Z'), at('2023-10-31T05:00Z')],
  })
  expect(explanation?.sentences).toContain(
    '2 paydays share this: the next one, on Oct 15, 2023, adds $3.33 ($6.67 ÷ 2).',
  )
  const german = await spending.explainSpending({ ...ids, language: 'de' }, as)
  expect(german.explanation?.sentences[1]).toBe('Es fehlen noch $6.67: $10.00 − $3.33.')
  const other = await createBudgetHousehold(booted)
  const gone = { code: Code.NotFound }
  await expect(other.spending.explainSpending(ids, other.as)).rejects.toMatchObject(gone)
})

test('deleting returns the money and frees the name, which stays in the history', async () => {
  const { pay, expense, envelopes, spending, list, balances, bankAccountId, as } =
    await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId, { name: 'Rent' })
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 700n }, as)
  expect(await balances()).toMatchObject({ expenses: 700n, free: 999_300n })
  await spending.deleteSpending({ bankAccountId, spendingId }, as)
  expect(await balances()).toMatchObject({ expenses: 0n, free: 1_000_000n })
  expect(await list()).toEqual([])
  const gone = { code: Code.NotFound }
  await expect(spending.getSpending({ bankAccountId, spendingId }, as)).rejects.toMatchObject(gone)
  await expect(spending.deleteSpending({ bankAccountId, spendingId }, as)).rejects.toMatchObject(
    gone,
  )
  await expense(fundingScheduleId, { name: 'Rent' })
  const history = booted.client('ledger', HistoryService)
  const { entries } = await history.listHistory({ bankAccountId, limit: 1 }, as)
  expect(entries).toMatchObject([{ cause: 'envelope-closed', deletedSpendingName: 'Rent' }])
})

test('a closed envelope hides its plan, and the event deletes it', async () => {
  const { pay, expense, envelopes, list, bankAccountId, as } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId)
  await envelopes.closeEnvelope({ bankAccountId, spendingId }, as)
  expect(await list()).toEqual([])
  const plans = () =>
    booted.database('budgeting').pool.any(sql.type(z.object({ id: z.string() }))`
      SELECT spending_id AS id FROM spending WHERE spending_id = ${spendingId}`)
  expect(await eventually(plans, (rows) => rows.length === 0)).toEqual([])
})

test('an invalid request is refused and stores nothing', async () => {
  const { pay, expense, goal, list, schedules, bankAccountId, as } =
    await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  await expense(fundingScheduleId, { name: 'Rent' })
  const refusal = (run: Promise<unknown>) =>
    run.then(
      () => null,
      (error: ConnectError) => error,
    )
  const taken = await refusal(expense(fundingScheduleId, { name: 'Rent' }))
  expect(taken).toMatchObject({ code: Code.AlreadyExists })
  expect(taken && problemsOf(taken)).toEqual({ name: expect.stringContaining('is taken') })
  const elsewhere = await refusal(expense(newId('fund')))
  expect(elsewhere?.message).toContain('funding schedule: record does not exist')
  const noon = await refusal(goal(fundingScheduleId, { nextRecurrence: at('2023-11-01T17:00Z') }))
  expect(noon && problemsOf(noon)).toEqual({
    nextRecurrence:
      'Next recurrence must be midnight: send 2023-11-01T05:00:00Z, ' +
      'midnight of that day in America/Chicago',
  })
  const twice = await refusal(
    schedules.createFundingSchedule({ bankAccountId, name: 'Pay', ruleset: monthly }, as),
  )
  expect(twice).toMatchObject({ code: Code.AlreadyExists })
  expect(twice && problemsOf(twice)).toEqual({ name: expect.stringContaining('is taken') })
  expect(await list()).toHaveLength(1)
})

test('another account gets NotFound, an archived bank account refuses writes', async () => {
  const mine = await createBudgetHousehold(booted)
  const other = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await mine.pay()
  const { spendingId } = await mine.expense(fundingScheduleId)
  const { bankAccountId } = mine
  const gone = { code: Code.NotFound }
  const theirs: [() => Promise<unknown>, string][] = [
    [() => other.spending.listSpending({ bankAccountId }, other.as), 'list'],
    [() => other.spending.getSpending({ bankAccountId, spendingId }, other.as), 'get'],
    [() => other.spending.deleteSpending({ bankAccountId, spendingId }, other.as), 'delete'],
    [() => other.schedules.listFundingSchedules({ bankAccountId }, other.as), 'schedules'],
    [
      () => other.schedules.getFundingSchedule({ bankAccountId, fundingScheduleId }, other.as),
      'one',
    ],
    [() => other.pay({ bankAccountId }), 'new schedule'],
    [() => other.expense(fundingScheduleId, { bankAccountId }), 'new expense'],
  ]
  for (const [run] of theirs) await expect(run()).rejects.toMatchObject(gone)
  await mine.accounts.archiveBankAccount({ bankAccountId }, mine.as)
  const archived = { code: Code.FailedPrecondition }
  await expect(mine.pay({ name: 'More' })).rejects.toMatchObject(archived)
  await expect(mine.expense(fundingScheduleId)).rejects.toMatchObject(archived)
  expect(await mine.list()).toHaveLength(1)
})

test('a list and a recalculation take few statements', async () => {
  const { pay, expense, list, spending, bankAccountId, as } = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const created = await counting(() => expense(fundingScheduleId))
  expect(created.count).toBeLessThanOrEqual(statementsMax.createPlan)
  expect((await counting(list)).count).toBeLessThanOrEqual(statementsMax.listPlans)
  const { spendingId } = created.result
  const envelope = { spendingId, bankAccountId, currentAmount: 5n, usedAmount: 0n, version: 9n }
  const request = { bankAccountId, envelopes: [envelope] }
  const recalculation = await counting(() => spending.recalculateSpending(request, as))
  expect(recalculation.count).toBeLessThanOrEqual(statementsMax.recalculatePlan)
})

test('a list has the present plans after any number of lists', async () => {
  const { pay, expense, goal, list, envelopes, spending, bankAccountId, as } =
    await createBudgetHousehold(booted)
  const { fundingScheduleId } = await pay()
  const { spendingId } = await expense(fundingScheduleId)
  const trip = await goal(fundingScheduleId)
  const each = async () => {
    const all = await list()
    const get = (one: { spendingId: string }) =>
      spending.getSpending({ bankAccountId, spendingId: one.spendingId }, as)
    expect(all).toEqual((await Promise.all(all.map(get))).map((answer) => answer.spending))
    return all.map(({ name, currentAmount }) => [name, currentAmount])
  }
  const [rent = [], travel = []] = await each()
  expect(await each()).toEqual([rent, travel])
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 500n }, as)
  const filled = [rent[0], 500n]
  expect(await each()).toEqual([filled, travel])
  // Renames the goal by SQL, as another process would; the next list shows the new name.
  await booted.database('budgeting').pool.query(sql.unsafe`
    UPDATE spending SET name = 'Renamed'
    WHERE spending_id = ${trip.spendingId}`)
  expect(await each()).toEqual([filled, ['Renamed', 0n]])
  await spending.deleteSpending({ bankAccountId, spendingId }, as)
  expect(await each()).toEqual([['Renamed', 0n]])
})

test('one round stores the newest amounts of many accounts', async () => {
  const homes = await Promise.all([
    createBudgetHousehold(booted),
    createBudgetHousehold(booted),
    createBudgetHousehold(booted),
  ])
  const plans = await Promise.all(
    homes.map(async ({ pay, expense }) => expense((await pay()).fundingScheduleId)),
  )
  const amounts = homes.map(({ accountId, bankAccountId }, index) => {
    const { spendingId = '' } = plans[index] ?? {}
    return { accountId, bankAccountId, spendingId, currentAmount: 500n, usedAmount: 0n }
  })
  const [first, ...others] = amounts
  if (!first) throw new Error('no household')
  const deps = depsOf(booted)
  const store = (one: typeof first & { version: bigint }) =>
    storeAmounts(deps, one.accountId, [one])
  const stored = await counting(() =>
    Promise.all([
      // The writer is idle, so the first change is saved alone; the four changes after it share a
      // save.
      store({ ...first, version: 8n }),
      store({ ...first, version: 9n }),
      store({ ...first, currentAmount: 0n, version: 7n }),
      ...others.map((one) => store({ ...one, version: 9n })),
    ]),
  )
  expect(stored.count).toBeLessThanOrEqual(statementsMax.recalculateFivePlans)
  const known = await counting(() =>
    Promise.all(amounts.map((one) => store({ ...one, version: 9n }))),
  )
  expect(known.count).toBeLessThanOrEqual(statementsMax.recallThreePlans)
  const kept = await booted.database('budgeting').pool.any(sql.type(Kept)`
    SELECT amounts_version AS version, next_contribution_amount AS contribution FROM spending
    WHERE spending_id = ANY(${sql.array(
      amounts.map(({ spendingId }) => spendingId),
      'text',
    )})`)
  expect(kept).toEqual(homes.map(() => ({ version: 9n, contribution: 250n })))
})
