import { booting } from '@coffer/host/testing/booting'
import { statementsMax } from '@coffer/kit/testing/statements-max'
import { ledger } from '@coffer/ledger/service'
import { afterEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { advanceActivities } from '../../src/advance/advance.activities.ts'
import { listDue } from '../../src/advance/advance.sql.ts'
import { budgeting } from '../../src/service.ts'
import { sweepActivities } from '../../src/tenancy/sweep.activities.ts'
import { createSeptember, depsOf, type Funded, shown } from '../advancing.ts'
import { at, createBudgetHousehold } from '../household.ts'

const booted = booting([ledger, budgeting])

// A page has the bank accounts of all households, so each test begins without any.
afterEach(async () => {
  await booted
    .database('budgeting')
    .pool.query(sql.unsafe`TRUNCATE spending, funding_schedules CASCADE`)
})

const payday = '2023-10-13T06:00Z'

/** Creates households, each with an expense that gets a third of its target on payday. */
async function createDueHouseholds(count: number): Promise<Funded[]> {
  const homes: Funded[] = []
  for (let made = 0; made < count; made += 1) {
    const home = await createSeptember(booted)
    await home.expense(home.fundingScheduleId, { name: 'rent' })
    homes.push(home)
  }
  return homes
}

function advancePage() {
  booted.clock.now = new Date(payday)
  return advanceActivities(depsOf(booted)).advancePage({ now: payday, after: null })
}

/** Stores an invalid ruleset, so that the calculation of the plan throws. */
async function spoil({ accountId }: { accountId: string }): Promise<void> {
  await booted.database('budgeting').pool.query(sql.unsafe`
    UPDATE spending SET ruleset = 'nonsense' WHERE account_id = ${accountId}`)
}

test('a failed bank account is counted, and the others of its group are advanced', async () => {
  const homes = await createDueHouseholds(4)
  const [, bad] = homes
  if (!bad) throw new Error('no home')
  await spoil(bad)
  expect(await advancePage()).toEqual({ next: null, failed: 1 })
  const held = await Promise.all(
    homes.filter((home) => home !== bad).map(async (home) => (await shown(home)).rent?.[0]),
  )
  // The rule has three occurrences until 1 November: 30 September, 15 and 31 October.
  expect(held).toEqual([333n, 333n, 333n])
})

test('without a time, what is due follows the clock of the database', async () => {
  const [home] = await createDueHouseholds(1)
  if (!home) throw new Error('no home')
  const ahead = { ...depsOf(booted), clock: () => new Date(payday) }
  const { advancePage: advanceNow } = advanceActivities(ahead)
  expect(await advanceNow({ now: null, after: null })).toEqual({ next: null, failed: 0 })
  expect((await shown(home)).rent?.[0]).toBe(0n)
  booted.clock.now = new Date(payday)
  await advanceNow({ now: null, after: null })
  expect((await shown(home)).rent?.[0]).toBe(333n)
})

test('pages list each due date once, the earliest first', async () => {
  const homes = await createDueHouseholds(3)
  const [early] = homes
  await early?.expense(early.fundingScheduleId, {
    name: 'early',
    nextRecurrence: at('2023-10-01T05:00Z'),
    ruleset: 'DTSTART:20220101T060000Z\nRRULE:FREQ=MONTHLY',
  })
  const { database, seen } = { database: booted.database('budgeting'), seen: [] as string[] }
  let after = null
  for (let page = 0; page < 10; page += 1) {
    const due = await listDue(database, { now: new Date(payday), after, limit: 1 })
    const [row] = due
    if (!row) break
    seen.push(`${row.dueAt.toISOString()} ${row.accountId}`)
    after = row
  }
  const onPayday = homes.map(({ accountId }) => `2023-10-13T05:00:00.000Z ${accountId}`)
  expect(seen).toEqual([`2023-10-01T05:00:00.000Z ${early?.accountId}`, ...onPayday.sort()])
})

test('the statements of a page do not grow with its bank accounts', async () => {
  await createDueHouseholds(3)
  const { statements } = booted.database('ledger')
  const before = statements()
  await advancePage()
  expect(statements() - before).toBeLessThanOrEqual(statementsMax.advancePage)
})

test('a failed creation or deletion does not stop the sweep', async () => {
  booted.clock.now = new Date('2023-10-09T13:32Z')
  const first = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await first.pay()
  await first.expense(fundingScheduleId)
  await spoil(first)
  const second = await createBudgetHousehold(booted)
  const { fundingScheduleId: other } = await second.pay()
  await second.expense(other, { name: 'good' })
  const { pool } = booted.database('budgeting')
  await pool.query(sql.unsafe`
    UPDATE spending SET state = 'opening', created_at = CASE account_id
      WHEN ${first.accountId} THEN timestamptz '2023-01-01' ELSE '2023-01-02' END`)
  booted.clock.now = new Date('2023-11-02T12:00Z')
  const { endStaleCreations } = sweepActivities(depsOf(booted))
  await expect(endStaleCreations()).rejects.toThrow('1 failed')
  expect((await second.list()).map(({ name }) => name)).toEqual(['good'])
  expect(await sweepActivities(depsOf(booted)).endStaleRemovals()).toBe(0)
})
