import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { budgeting } from '../../src/service.ts'
import { sweepActivities } from '../../src/tenancy/sweep.activities.ts'
import { advanceOnly, createSeptember, depsOf, type Funded } from '../advancing.ts'

const booted = booting([ledger, budgeting])

const payday = new Date('2023-10-13T06:00Z')
const text = 'cannot remove funding schedule, it does not exist'

const remove = ({ schedules, bankAccountId, fundingScheduleId, as }: Funded) =>
  schedules.deleteFundingSchedule({ bankAccountId, fundingScheduleId }, as)

const refused = (run: Promise<unknown>) => run.then(() => null, ConnectError.from)

/** Returns the `createdByFundingScheduleId` of each transaction of a household. */
async function listCreators({ transactions, bankAccountId, as }: Funded) {
  const page = { bankAccountId, limit: 10, offset: 0 }
  const found = await transactions.listTransactions(page, as)
  return found.transactions.map((one) => one.createdByFundingScheduleId)
}

function rows({ fundingScheduleId }: Funded): Promise<readonly string[]> {
  return booted.database('budgeting').pool.anyFirst(sql.type(z.object({ name: z.string() }))`
    SELECT name FROM funding_schedules WHERE funding_schedule_id = ${fundingScheduleId}`)
}

function sweep(now: string): Promise<number> {
  booted.clock.now = new Date(now)
  return sweepActivities(depsOf(booted)).endStaleRemovals()
}

test('transactions of a deleted schedule stay, without a reference to it', async () => {
  const home = await createSeptember(booted)
  await advanceOnly(booted, home, payday)
  expect(await listCreators(home)).toEqual([home.fundingScheduleId])
  await remove(home)
  expect(await listCreators(home)).toEqual([undefined])
  expect(await rows(home)).toEqual([])
  expect(await refused(remove(home))).toMatchObject({ code: Code.NotFound, rawMessage: text })
  const { bankAccountId, as } = home
  const { fundingSchedules } = await home.schedules.listFundingSchedules({ bankAccountId }, as)
  expect(fundingSchedules).toEqual([])
})

test('a schedule with an envelope refuses its deletion', async () => {
  const home = await createSeptember(booted)
  await advanceOnly(booted, home, payday)
  const { bankAccountId, fundingScheduleId, spending, as } = home
  const { spendingId } = await home.goal(fundingScheduleId, { isPaused: true })
  expect(await refused(remove(home))).toMatchObject({ code: Code.FailedPrecondition })
  expect(await listCreators(home)).toEqual([fundingScheduleId])
  await spending.deleteSpending({ bankAccountId, spendingId }, as)
  await remove(home)
  expect(await rows(home)).toEqual([])
})

test('a deletion beside new envelopes either succeeds alone or is refused', async () => {
  const home = await createSeptember(booted)
  const { fundingScheduleId } = home
  const outcomes = await Promise.allSettled([
    home.expense(fundingScheduleId),
    remove(home),
    home.goal(fundingScheduleId),
    remove(home),
  ])
  const done = outcomes.map(({ status }) => status === 'fulfilled')
  const isRemoved = done[1] || done[3]
  expect(await home.list()).toHaveLength(Number(done[0]) + Number(done[2]))
  expect(await rows(home)).toHaveLength(isRemoved ? 0 : 1)
  expect(isRemoved && (done[0] || done[2])).toBe(false)
})

test('a hidden schedule does not fire, and the sweep deletes it', async () => {
  const home = await createSeptember(booted)
  const { accountId, bankAccountId, fundingScheduleId } = home
  await advanceOnly(booted, home, payday)
  await depsOf(booted).write({
    scope: { accountId, bankAccountId, fundingScheduleIds: [fundingScheduleId] },
    decide: ({ schedules }) => {
      return { reply: null, schedules: schedules.map((one) => ({ ...one, deletedAt: payday })) }
    },
  })
  await advanceOnly(booted, home, new Date('2023-11-15T12:00Z'))
  expect(await listCreators(home)).toEqual([fundingScheduleId])
  expect(await refused(home.expense(fundingScheduleId))).toMatchObject({ code: Code.NotFound })
  await home.pay()
  expect(await sweep('2023-11-15T12:02Z')).toBe(1)
  expect(await listCreators(home)).toEqual([undefined])
  expect(await rows(home)).toEqual([])
  expect(await sweep('2023-11-15T12:02Z')).toBe(0)
})

test('a deletion waits until a pending run is booked', async () => {
  const home = await createSeptember(booted)
  const { accountId, bankAccountId, fundingScheduleId } = home
  booted.clock.now = payday
  await booted.database('budgeting').pool.query(sql.unsafe`
    INSERT INTO funding_runs (account_id, bank_account_id, funding_run_id, funding_schedule_id,
      occurrence, deposit_transaction_id, deposit_name, deposit_amount, state, created_at)
    VALUES (${accountId}, ${bankAccountId}, ${newId('run')}, ${fundingScheduleId},
      '2023-10-13T05:00Z', ${newId('txn')}, 'Pay', -5, 'pending', now())`)
  await remove(home)
  const { schedules, as } = home
  const ids = { bankAccountId, fundingScheduleId }
  expect(await refused(schedules.getFundingSchedule(ids, as))).toMatchObject({
    code: Code.NotFound,
  })
  await advanceOnly(booted, home, payday)
  expect(await listCreators(home)).toEqual([fundingScheduleId])
  await sweep('2023-10-13T06:02Z')
  expect(await listCreators(home)).toEqual([undefined])
})
