import type { MessageInitShape } from '@bufbuild/protobuf'
import { listDue } from '@coffer/budgeting/advance.sql'
import { decideRuns } from '@coffer/budgeting/funding-run.activities'
import { linesOf, pendingRuns } from '@coffer/budgeting/funding-run.sql'
import { asJob } from '@coffer/budgeting/ledger.client'
import { budgeting } from '@coffer/budgeting/service'
import { newId } from '@coffer/kit/id'
import { type Booted, boot, eventually } from '@coffer/kit/testing/boot'
import { ledger } from '@coffer/ledger/service'
import { type BookingSchema, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import {
  advance,
  advanceOnly,
  depsOf,
  type Funded,
  outcome,
  september,
  shown,
} from './budgeting-advancing.ts'
import { at, chicago } from './budgeting-household.ts'

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

/** The firing of 13 October, as the hourly job comes to it. */
function paydayOf({ accountId, bankAccountId, fundingScheduleId }: Funded) {
  const scope = { accountId, bankAccountId }
  const advancing = { scope, timezone: chicago, isManualLink: true, envelopes: [] }
  const kind = 'funding' as const
  const fundings = [{ kind, fundingScheduleId, at: new Date('2023-10-13T05:00Z') }]
  return { advancing, fundings }
}

/** Has the ledger book what the hourly job would, and tells nobody. */
function book(booking: MessageInitShape<typeof BookingSchema>): Promise<unknown> {
  const scheduled = booted.client('ledger', ScheduledService)
  return scheduled.book({ bookings: [booking] }, asJob(depsOf(booted)))
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
    ...['food', at('2024-01-05T06:00Z'), at('2023-12-29T06:00Z'), false],
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
  const { accountId, bankAccountId } = home
  const scope = { accountId, bankAccountId }
  await advanceOnly(booted, home, new Date('2023-10-12T18:00Z'))
  const pending = () => pendingRuns(booted.database('budgeting'), [scope])
  await decideRuns(depsOf(booted), [paydayOf(home)])
  const decided = await pending()
  expect(decided).toHaveLength(1)
  await decideRuns(depsOf(booted), [paydayOf(home)])
  expect(await pending()).toEqual(decided)
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after the ledger had booked a run, it is booked no second time', async () => {
  const home = await varied()
  const { accountId, bankAccountId, fundingScheduleId } = home
  const scope = { accountId, bankAccountId }
  await advanceOnly(booted, home, new Date('2023-10-12T18:00Z'))
  await decideRuns(depsOf(booted), [paydayOf(home)])
  const [run] = await pendingRuns(booted.database('budgeting'), [scope])
  if (!run) throw new Error('no run')
  const { fundingRunId, depositTransactionId } = run
  const lines = [...(await linesOf(booted.database('budgeting'), [run]))]
  const transactionId = depositTransactionId ?? ''
  const deposit = { transactionId, name: 'Pay', amount: -200_000n, date: at('2023-10-13T05:00Z') }
  const booking = { bankAccountId, fundingRunId, fundingScheduleId, lines, deposit }
  await book({ accountId, operation: { case: 'funding', value: booking } })
  await advanceOnly(booted, home, new Date(newYear))
  expect(await outcome(home)).toEqual(reference)
})

test('stopped after the ledger had closed a period, it is closed no second time', async () => {
  const home = await varied()
  const { accountId, bankAccountId, list } = home
  await advanceOnly(booted, home, new Date('2023-10-31T18:00Z'))
  const bill = (await list()).find(({ name }) => name === 'bill')
  const spendingId = bill?.spendingId ?? ''
  const due = at('2023-11-01T05:00Z')
  const transaction = { transactionId: newId('txn'), name: 'bill', amount: 1000n, date: due }
  const closing = { bankAccountId, spendingId, due, targetAmount: 1000n, transaction }
  await book({ accountId, operation: { case: 'periodEnd', value: closing } })
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
