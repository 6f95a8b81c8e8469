import { type Booted, boot } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { bookedRunPages, openEnvelopePages } from '@coffer/ledger/money/audit-books.sql'
import { ledger } from '@coffer/ledger/service'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { auditPlans } from '../../src/ledger/audit.sql.ts'
import { creationActivities } from '../../src/plans/creation.activities.ts'
import { budgeting } from '../../src/service.ts'
import { removalActivities } from '../../src/tenancy/removal.activities.ts'
import { advanceOnly, depsOf, september } from '../advancing.ts'
import { household } from '../household.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([ledger, budgeting])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

/** Audits against what the ledger has in its tables. */
function audit() {
  const database = booted.database('ledger')
  return auditPlans(booted.database('budgeting'), {
    openEnvelopes: () => openEnvelopePages(database),
    bookedRuns: () => bookedRunPages(database),
  })
}

test('the audit agrees with what the rules do, and finds what does not match', async () => {
  const home = await september(booted)
  const { accountId, bankAccountId, fundingScheduleId, as, envelopes, expense, goal } = home
  const { spendingId } = await expense(fundingScheduleId)
  await goal(fundingScheduleId)
  await advanceOnly(booted, home, new Date('2023-12-01T12:00Z'))
  expect(await audit()).toEqual([])

  const { pool } = booted.database('budgeting')
  await pool.query(sql.unsafe`
    DELETE FROM spending WHERE account_id = ${accountId} AND spending_id = ${spendingId}`)
  const unplanned = newId('spnd')
  const opening = { bankAccountId, spendingId: unplanned, spendingType: 'goal' }
  await envelopes.openEnvelope(opening, as)
  await booted.database('ledger').pool.query(sql.unsafe`
    DELETE FROM operations WHERE account_id = ${accountId}`)
  const findings = await audit()
  const withoutPlan = findings.filter(({ rule }) => rule === 'an open envelope has a plan')
  expect(withoutPlan.map(({ detail }) => detail).sort()).toEqual(
    [spendingId, unplanned].map((id) => `${bankAccountId}: ${id}`).sort(),
  )
  expect(findings.filter(({ rule }) => rule === 'an applied run is booked')).toHaveLength(4)
  await envelopes.closeEnvelope({ bankAccountId, spendingId: unplanned }, as)
})

test('plans of removed bank accounts go, stay away, and take nothing else along', async () => {
  const gone = await september(booted)
  const stays = await september(booted)
  await gone.expense(gone.fundingScheduleId)
  await stays.expense(stays.fundingScheduleId)
  await advanceOnly(booted, gone, new Date('2023-12-01T12:00Z'))
  const { removePlans } = removalActivities(depsOf(booted))
  await removePlans(gone.accountId, [gone.bankAccountId])
  await removePlans(gone.accountId, [gone.bankAccountId])
  const { pool } = booted.database('budgeting')
  for (const table of ['spending', 'funding_schedules', 'funding_runs', 'funding_run_lines']) {
    const rows = await pool.any(sql.unsafe`
      SELECT FROM ${sql.identifier([table])} WHERE account_id = ${gone.accountId}`)
    expect({ table, count: rows.length }).toEqual({ table, count: 0 })
  }
  await expect(gone.pay({ name: 'Late' })).rejects.toMatchObject({ code: Code.NotFound })
  expect(await stays.list()).toHaveLength(1)
})

test('an opening left half-way is finished where it has an envelope, else removed', async () => {
  booted.clock.now = new Date('2023-10-09T13:32Z')
  const home = await household(booted)
  const { fundingScheduleId } = await home.pay()
  const finished = await home.expense(fundingScheduleId, { name: 'with envelope' })
  const removed = await home.expense(fundingScheduleId, { name: 'without' })
  const { bankAccountId, as, accountId } = home
  await booted.database('ledger').pool.query(sql.unsafe`
    DELETE FROM envelopes WHERE spending_id = ${removed.spendingId}`)
  await booted.database('budgeting').pool.query(sql.unsafe`
    UPDATE spending SET state = 'opening' WHERE account_id = ${accountId}`)
  expect(await home.list()).toEqual([])
  const { endStaleOpenings } = creationActivities(depsOf(booted))
  expect(await endStaleOpenings()).toBe(0)
  booted.clock.now = new Date('2023-10-09T13:34Z')
  expect(await endStaleOpenings()).toBe(2)
  expect((await home.list()).map(({ spendingId }) => spendingId)).toEqual([finished.spendingId])
  const { spendingId } = removed
  await expect(home.spending.getSpending({ bankAccountId, spendingId }, as)).rejects.toMatchObject({
    code: Code.NotFound,
  })
})
