import { type Booted, boot, eventually } from '@coffer/host/testing/boot'
import { ledger } from '@coffer/ledger/service'
import type { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { listDue } from '../../src/advance/advance.sql.ts'
import { type AdvanceDeps, advanceTogether } from '../../src/advance/advance-together.activities.ts'
import { budgeting } from '../../src/service.ts'
import {
  advance,
  advanceOnly,
  depsOf,
  type Funded,
  outcome,
  september,
  shown,
} from '../advancing.ts'
import { at } from '../household.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger, budgeting])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

/** A household with one envelope of each kind, and what it came to be by New Year. */
async function varied(): Promise<Funded> {
  const home = await september(booted)
  const { fundingScheduleId, expense, goal } = home
  await expense(fundingScheduleId, { name: 'rent', targetAmount: 1001n })
  await expense(fundingScheduleId, { name: 'bill', autoCreateTransaction: true })
  const weekly = 'DTSTART:20231006T050000Z\nRRULE:FREQ=WEEKLY'
  const onFridays = { ruleset: weekly, nextRecurrence: at('2023-10-06T05:00Z') }
  await expense(fundingScheduleId, { name: 'food', targetAmount: 700n, ...onFridays })
  await goal(fundingScheduleId, { name: 'trip', nextRecurrence: at('2024-03-01T06:00Z') })
  await expense(fundingScheduleId, { name: 'paused', isPaused: true })
  return home
}

const killed = new Error('killed')

/**
 * Advances a household until the ledger is to book for the first time; `lost` names what does not
 * happen then: the call, or its answer.
 */
async function advanceUntilBooking(home: Funded, now: string, lost: 'call' | 'answer') {
  const deps = depsOf(booted)
  const { mesh } = deps
  const client = ((name: 'ledger', service: typeof ScheduledService) => {
    const ledger = mesh.client(name, service)
    const book: typeof ledger.book = async (...request) => {
      if (lost === 'answer') await ledger.book(...request)
      throw killed
    }
    return { ...ledger, book }
  }) as AdvanceDeps['mesh']['client']
  booted.clock.now = new Date(now)
  const { accountId, bankAccountId } = home
  const scopes = [{ accountId, bankAccountId }]
  const advancing = advanceTogether({ ...deps, mesh: { ...mesh, client } }, scopes, new Date(now))
  await expect(advancing).rejects.toBe(killed)
}

const Pending = z.object({ id: z.string(), amounts: z.string() })

/** Runs that are decided and not booked, with what they move. */
function pendingRuns({ accountId }: Funded) {
  return booted.database('budgeting').pool.any(sql.type(Pending)`
    SELECT funding_run_id AS id, string_agg(amount::text, ' ' ORDER BY spending_id) AS amounts
    FROM funding_runs JOIN funding_run_lines USING (account_id, bank_account_id, funding_run_id)
    WHERE account_id = ${accountId} AND state = 'pending' GROUP BY 1`)
}

const newYear = '2023-12-31T18:00Z'
let reference: Awaited<ReturnType<typeof outcome>>

test('three months missed come to the same as every hour of them done in time', async () => {
  const missed = await varied()
  const daily = await varied()
  for (let day = Date.parse('2023-10-01T07:00Z'); day < Date.parse(newYear); day += 86_400_000) {
    await advanceOnly(booted, daily, new Date(day))
  }
  await advance(booted, newYear)
  reference = await outcome(missed)
  expect(await outcome(daily)).toEqual(reference)
  // Three paydays were ahead when it was made; paused, it gets nothing and stays as it was.
  expect(reference.amounts.paused).toEqual([0n, 0n, 333n])
  expect(reference.plans.find(([name]) => name === 'food')).toEqual([
    'food',
    at('2024-01-05T06:00Z'),
    at('2023-12-29T06:00Z'),
    false,
  ])
})

test('three runs at once do everything once', async () => {
  const home = await varied()
  booted.clock.now = new Date(newYear)
  await Promise.all([1, 2, 3].map(() => advanceOnly(booted, home, new Date(newYear))))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after a run was decided, the next one books it first', async () => {
  const home = await varied()
  await advanceOnly(booted, home, new Date('2023-10-12T18:00Z'))
  await advanceUntilBooking(home, '2023-10-13T18:00Z', 'call')
  const decided = await pendingRuns(home)
  expect(decided).toHaveLength(1)
  await advanceUntilBooking(home, '2023-10-13T18:00Z', 'call')
  expect(await pendingRuns(home)).toEqual(decided)
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after the ledger had booked a run, it is booked no second time', async () => {
  const home = await varied()
  await advanceOnly(booted, home, new Date('2023-10-12T18:00Z'))
  await advanceUntilBooking(home, '2023-10-13T18:00Z', 'answer')
  expect(await pendingRuns(home)).toHaveLength(1)
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after the ledger had closed a period, it is closed no second time', async () => {
  const home = await varied()
  // The last payday of October is booked: what comes next is the 1st of November.
  await advanceOnly(booted, home, new Date('2023-10-31T18:00Z'))
  await advanceUntilBooking(home, '2023-11-01T18:00Z', 'answer')
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('a firing is decided on the amounts of the ledger, however late events are', async () => {
  const home = await september(booted)
  const { fundingScheduleId, bankAccountId, goal, envelopes, as } = home
  const nextRecurrence = at('2023-11-01T05:00Z')
  const { spendingId } = await goal(fundingScheduleId, { name: 'trip', nextRecurrence })
  await envelopes.transfer({ bankAccountId, toSpendingId: spendingId, amount: 500n }, as)
  const { pool } = booted.database('budgeting')
  const stored = () =>
    pool.oneFirst(sql.type(z.object({ version: z.bigint() }))`
      SELECT amounts_version AS version FROM spending WHERE spending_id = ${spendingId}`)
  await eventually(stored, (version) => version > 1n)
  await pool.query(sql.unsafe`
    UPDATE spending SET amounts_version = 1, current_amount = 0, next_contribution_amount = 500
    WHERE spending_id = ${spendingId}`)
  await advanceOnly(booted, home, new Date('2023-10-13T12:00Z'))
  // Half of what is missing, at the first of two paydays.
  expect((await shown(home)).trip?.[0]).toBe(750n)
})

test('archived and deleted bank accounts are left alone from then on', async () => {
  const archived = await varied()
  const deleted = await varied()
  await archived.accounts.archiveBankAccount({ bankAccountId: archived.bankAccountId }, archived.as)
  await deleted.links.deleteLink({ linkId: deleted.linkId }, deleted.as)
  const before = await outcome(archived)
  await advance(booted, newYear)
  expect(await outcome(archived)).toEqual(before)
  const page = { now: new Date(newYear), after: null, limit: 1000 }
  expect(await listDue(booted.database('budgeting'), page)).toEqual([])
})

test('the workflow advances what is due', async () => {
  const home = await varied()
  const { prefix, workflows } = booted
  const workflow = { type: 'advance', id: 'advance-now', taskQueue: 'budgeting', args: [newYear] }
  await workflows.start(workflow)
  await workflows.client.workflow.getHandle(`${prefix}/advance-now`).result()
  expect(await outcome(home)).toEqual(reference)
})
