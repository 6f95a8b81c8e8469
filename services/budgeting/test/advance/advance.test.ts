import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { ledger } from '@coffer/ledger/service'
import type { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { listDue } from '../../src/advance/advance.sql.ts'
import { type AdvanceDeps, advanceTogether } from '../../src/advance/advance-together.service.ts'
import { budgeting } from '../../src/service.ts'
import {
  advance,
  advanceOnly,
  createSeptember,
  depsOf,
  type Funded,
  outcome,
  shown,
} from '../advancing.ts'
import { at } from '../household.ts'

const booted = booting([ledger, budgeting])

/** Creates a household with expenses (plain, with transactions, weekly, paused) and a goal. */
async function createVaried(): Promise<Funded> {
  const home = await createSeptember(booted)
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

/** Runs the job, which fails at its first booking: the ledger's `call` or its `answer` is lost. */
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

/** Returns the pending funding runs of a household, with the amounts of their lines. */
function pendingRuns({ accountId }: Funded) {
  return booted.database('budgeting').pool.any(sql.type(Pending)`
    SELECT funding_run_id AS id, string_agg(amount::text, ' ' ORDER BY spending_id) AS amounts
    FROM funding_runs JOIN funding_run_lines USING (account_id, bank_account_id, funding_run_id)
    WHERE account_id = ${accountId} AND state = 'pending' GROUP BY 1`)
}

const newYear = '2023-12-31T18:00Z'
let reference: Awaited<ReturnType<typeof outcome>>

test('one run after three months has the same result as a run every day', async () => {
  const missed = await createVaried()
  const daily = await createVaried()
  for (let day = Date.parse('2023-10-01T07:00Z'); day < Date.parse(newYear); day += 86_400_000) {
    await advanceOnly(booted, daily, new Date(day))
  }
  await advance(booted, newYear)
  reference = await outcome(missed)
  expect(await outcome(daily)).toEqual(reference)
  // A paused expense gets no money; its contribution stays a third of the target (three paydays).
  expect(reference.amounts.paused).toEqual([0n, 0n, 333n])
  expect(reference.plans.find(([name]) => name === 'food')).toEqual([
    'food',
    at('2024-01-05T06:00Z'),
    at('2023-12-29T06:00Z'),
    false,
  ])
})

test('three concurrent runs carry out each event once', async () => {
  const home = await createVaried()
  booted.clock.now = new Date(newYear)
  await Promise.all([1, 2, 3].map(() => advanceOnly(booted, home, new Date(newYear))))
  expect(await outcome(home)).toEqual(reference)
})

test('after a stop between decision and booking, the next run books it first', async () => {
  const home = await createVaried()
  await advanceOnly(booted, home, new Date('2023-10-12T18:00Z'))
  await advanceUntilBooking(home, '2023-10-13T18:00Z', 'call')
  const decided = await pendingRuns(home)
  expect(decided).toHaveLength(1)
  await advanceUntilBooking(home, '2023-10-13T18:00Z', 'call')
  expect(await pendingRuns(home)).toEqual(decided)
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('after a lost answer of the ledger, a funding is not booked twice', async () => {
  const home = await createVaried()
  await advanceOnly(booted, home, new Date('2023-10-12T18:00Z'))
  await advanceUntilBooking(home, '2023-10-13T18:00Z', 'answer')
  expect(await pendingRuns(home)).toHaveLength(1)
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('after a lost answer of the ledger, a period is not closed twice', async () => {
  const home = await createVaried()
  // All dates of October are booked; the next one is the due date of 1 November.
  await advanceOnly(booted, home, new Date('2023-10-31T18:00Z'))
  await advanceUntilBooking(home, '2023-11-01T18:00Z', 'answer')
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('a firing uses the amounts of the ledger, not those of delayed events', async () => {
  const home = await createSeptember(booted)
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
  // 500 were transferred; the first of two paydays adds half of the missing 500.
  expect((await shown(home)).trip?.[0]).toBe(750n)
})

test('archived and deleted bank accounts are never advanced again', async () => {
  const archived = await createVaried()
  const deleted = await createVaried()
  await archived.accounts.archiveBankAccount({ bankAccountId: archived.bankAccountId }, archived.as)
  await deleted.links.deleteLink({ linkId: deleted.linkId }, deleted.as)
  const before = await outcome(archived)
  await advance(booted, newYear)
  expect(await outcome(archived)).toEqual(before)
  const page = { now: new Date(newYear), after: null, limit: 1000 }
  expect(await listDue(booted.database('budgeting'), page)).toEqual([])
})

test('the workflow advances a due household', async () => {
  const home = await createVaried()
  const { prefix, workflows } = booted
  const workflow = { type: 'advance', id: 'advance-now', args: [newYear] }
  await workflows.start(workflow)
  await workflows.client.workflow.getHandle(`${prefix}/workflows/advance-now`).result()
  expect(await outcome(home)).toEqual(reference)
})

test('the workflow fails after its last round while a bank account fails', async () => {
  const { accountId } = await createVaried()
  await booted.database('budgeting').pool.query(sql.unsafe`
    UPDATE spending SET ruleset = 'nonsense'
    WHERE account_id = ${accountId} AND ruleset IS NOT NULL`)
  const last = { round: 3, page: { next: null, failed: 0 }, failed: 0 }
  const { prefix, workflows } = booted
  await workflows.start({ type: 'advance', id: 'advance-failing', args: [newYear, last] })
  const run = workflows.client.workflow.getHandle(`${prefix}/workflows/advance-failing`)
  await expect(run.result()).rejects.toMatchObject({
    cause: { message: 'bank accounts not advanced: 1' },
  })
})
