import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { refusalOf } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { ledger } from '@coffer/ledger/service'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { budgeting } from '../../src/service.ts'
import { lockSettings, saveTimezone } from '../../src/tenancy/account-settings.sql.ts'
import { sweepActivities } from '../../src/tenancy/sweep.activities.ts'
import { depsOf } from '../advancing.ts'
import { at, createBudgetHousehold, type Household } from '../household.ts'
import { twiceMonthly } from '../samples.ts'

const booted = booting(
  [ledger, budgeting],
  {
    COFFER_ENVELOPES_MAX: '3',
    COFFER_FUNDING_SCHEDULES_MAX: '3',
  },
  '2023-10-09T13:32Z',
)

function keyed({ as }: Household, bodyHash: string, key = 'once'): CallOptions {
  const added = { [headers.idempotencyKey]: key, [headers.bodyHash]: bodyHash }
  return { ...as, headers: added }
}

async function bodyFor({ pay, bankAccountId }: Household) {
  const { fundingScheduleId } = await pay()
  return {
    bankAccountId,
    fundingScheduleId,
    spendingType: 'goal',
    name: 'Trip',
    targetAmount: 900n,
    nextRecurrence: at('2024-01-01T06:00Z'),
  }
}

/** Creates the state after a creation that stopped once its plan was stored. */
async function storePlanOnly(home: Household, body: Awaited<ReturnType<typeof bodyFor>>) {
  const { spending, bankAccountId } = home
  const { spending: created } = await spending.createSpending(body, keyed(home, 'aa'))
  const { pool } = booted.database('budgeting')
  await pool.query(sql.unsafe`
    DELETE FROM idempotency_keys WHERE account_id = ${home.accountId}`)
  await pool.query(sql.unsafe`
    UPDATE spending SET state = 'opening' WHERE account_id = ${home.accountId}`)
  await booted.database('ledger').pool.query(sql.unsafe`
    DELETE FROM envelopes WHERE bank_account_id = ${bankAccountId}`)
  return created?.spendingId
}

async function refusal(run: Promise<unknown>): Promise<number | null> {
  const error = await run.then(() => null, ConnectError.from)
  return error && (refusalOf(error)?.status ?? 400)
}

test('a request repeated under its key continues an unfinished creation', async () => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  const spendingId = await storePlanOnly(home, body)
  expect(await home.list()).toEqual([])
  const again = await home.spending.createSpending(body, keyed(home, 'aa'))
  expect(again.spending?.spendingId).toBe(spendingId)
  expect(await home.list()).toEqual([again.spending])
})

test.each([
  ['the same name', {}],
  ['another name', { name: 'Bike' }],
])('another body with %s is refused under the key of an unfinished creation', async (_, change) => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  await storePlanOnly(home, body)
  const other = { ...body, targetAmount: 1n, ...change }
  expect(await refusal(home.spending.createSpending(other, keyed(home, 'bb')))).toBe(422)
  expect(await home.list()).toEqual([])
})

test('an unfinished creation reserves its name against requests with other keys', async () => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  await storePlanOnly(home, body)
  expect(await refusal(home.spending.createSpending(body, home.as))).toBe(400)
  expect(await refusal(home.spending.createSpending(body, keyed(home, 'aa', 'two')))).toBe(400)
})

test('two concurrent bodies under one key create one envelope', async () => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  const outcomes = await Promise.allSettled([
    home.spending.createSpending(body, keyed(home, 'aa')),
    home.spending.createSpending({ ...body, name: 'Bike' }, keyed(home, 'bb')),
  ])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const lost = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  expect(await refusal(Promise.reject(lost.reason))).toBe(422)
  expect(await home.list()).toHaveLength(1)
})

test('the sweep completes a creation, with the contribution of that day', async () => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  const kept = await createBudgetHousehold(booted)
  const spendingId = (await storePlanOnly(kept, await bodyFor(kept))) ?? ''
  await storePlanOnly(home, body)
  const request = { bankAccountId: kept.bankAccountId, spendingId, spendingType: 'goal' }
  await kept.envelopes.openEnvelope(request, kept.as)
  const { endStaleCreations, forgetOldKeys } = sweepActivities(depsOf(booted))
  // Four of the six paydays before 1 January have not fired yet.
  booted.clock.now = new Date('2023-11-01T12:00Z')
  await endStaleCreations()
  expect(await endStaleCreations()).toBe(0)
  expect(await kept.list()).toMatchObject([{ spendingId, nextContributionAmount: 225n }])
  expect(await home.list()).toEqual([])
  expect(await forgetOldKeys()).toBeGreaterThan(0)
  expect(await forgetOldKeys()).toBe(0)
})

const texts = async (calls: Promise<unknown>[]) => {
  const outcomes = await Promise.all(calls.map((call) => call.then(() => null, ConnectError.from)))
  return outcomes.flatMap((error) => error?.rawMessage ?? [])
}

test('a creation beyond the bound of envelopes is refused and leaves no plan', async () => {
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const create = () => home.goal(fundingScheduleId, { nextRecurrence: at('2024-01-01T06:00Z') })
  const refusals = await texts(Array.from({ length: 5 }, create))
  const text = 'a bank account has at most 3 expenses and goals: delete one first'
  expect(refusals).toEqual([text, text])
  const plans = await booted.database('budgeting').pool.anyFirst(sql.unsafe`
    SELECT state FROM spending WHERE account_id = ${home.accountId}`)
  expect(plans).toEqual(['open', 'open', 'open'])
})

test('a request refused at the bound succeeds later under the same key', async () => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  const date = { nextRecurrence: at('2024-01-01T06:00Z') }
  const others = await Promise.all([1, 2, 3].map(() => home.goal(body.fundingScheduleId, date)))
  const send = () => home.spending.createSpending(body, keyed(home, 'aa'))
  expect(await texts([send(), send()])).toHaveLength(2)
  const { bankAccountId, as } = home
  const spendingId = others[0]?.spendingId ?? ''
  await home.spending.deleteSpending({ bankAccountId, spendingId }, as)
  const { spending } = await send()
  expect(await home.list()).toContainEqual(spending)
  expect((await send()).spending?.spendingId).toBe(spending?.spendingId)
})

test('concurrent requests create funding schedules up to the bound', async () => {
  const home = await createBudgetHousehold(booted)
  const refusals = await texts(Array.from({ length: 5 }, (_, n) => home.pay({ name: `Pay ${n}` })))
  const text = 'a bank account has at most 3 funding schedules: delete one first'
  expect(refusals).toEqual([text, text])
})

test('an expired key creates another spending object', async () => {
  const home = await createBudgetHousehold(booted)
  const body = await bodyFor(home)
  await home.spending.createSpending(body, keyed(home, 'aa'))
  await booted.database('budgeting').pool.query(sql.unsafe`
    DELETE FROM idempotency_keys WHERE account_id = ${home.accountId}`)
  booted.clock.now = new Date('2023-10-10T14:00Z')
  await sweepActivities(depsOf(booted)).forgetOldKeys()
  const other = { ...body, name: newId('name') }
  expect((await home.spending.createSpending(other, keyed(home, 'bb'))).spending).toBeDefined()
  expect(await home.list()).toHaveLength(2)
})

test('twenty retries under one key create one envelope and get one reply', async () => {
  const home = await createBudgetHousehold(booted)
  const { spending, envelopes, list, bankAccountId, as } = home
  const body = await bodyFor(home)
  const create = () => spending.createSpending(body, keyed(home, 'ab'))
  const replies = await Promise.all(Array.from({ length: 20 }, create))
  expect(new Set(replies.map((reply) => reply.spending?.spendingId)).size).toBe(1)
  expect(await list()).toHaveLength(1)
  expect((await envelopes.listEnvelopes({ bankAccountId }, as)).envelopes).toHaveLength(1)
})

test('twenty retries under one key create one schedule and get one reply', async () => {
  const home = await createBudgetHousehold(booted)
  const body = { bankAccountId: home.bankAccountId, name: 'Pay', ruleset: twiceMonthly }
  const create = () => home.schedules.createFundingSchedule(body, keyed(home, 'ab'))
  const replies = await Promise.all(Array.from({ length: 20 }, create))
  const ids = replies.map(({ fundingSchedule }) => fundingSchedule?.fundingScheduleId)
  expect(new Set(ids).size).toBe(1)
})

test('no first plan is saved while a change of the timezone is under way', async () => {
  const home = await createBudgetHousehold(booted)
  const { accountId, bankAccountId, schedules, as } = home
  const body = { bankAccountId, name: 'Pay', ruleset: twiceMonthly }
  let outcome: Promise<unknown> | null = null
  await booted.database('budgeting').transaction(async (tx) => {
    await lockSettings(tx, accountId)
    outcome = schedules.createFundingSchedule(body, as).catch(({ code }) => code)
    const isWaiting = sql.unsafe`
      SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%plan_books%'`
    const isBlocked = () => booted.database('budgeting').pool.exists(isWaiting)
    await eventually(isBlocked, Boolean)
    await saveTimezone(tx, accountId, 'Europe/Berlin')
  })
  expect(await outcome).toBe(Code.Unavailable)
  const { fundingSchedules } = await schedules.listFundingSchedules({ bankAccountId }, as)
  expect(fundingSchedules).toEqual([])
})
