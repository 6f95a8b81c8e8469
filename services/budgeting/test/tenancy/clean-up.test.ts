import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { auditPages } from '@coffer/ledger/money/audit-pages.sql'
import { ledger } from '@coffer/ledger/service'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { auditPlans } from '../../src/reconciliation/audit.sql.ts'
import { budgeting } from '../../src/service.ts'
import { removalActivities } from '../../src/tenancy/removal.activities.ts'
import { sweepActivities } from '../../src/tenancy/sweep.activities.ts'
import { advanceOnly, createSeptember, depsOf } from '../advancing.ts'
import { createBudgetHousehold } from '../household.ts'

const booted = booting([ledger, budgeting])

/** Audits the plans against the tables of the ledger. */
function audit() {
  const database = booted.database('ledger')
  return auditPlans(booted.database('budgeting'), auditPages(database))
}

test('the audit accepts the rows of the services and finds mismatches', async () => {
  const home = await createSeptember(booted)
  const { accountId, bankAccountId, fundingScheduleId, as, envelopes, expense, goal } = home
  const { spendingId } = await expense(fundingScheduleId)
  await goal(fundingScheduleId)
  await advanceOnly(booted, home, new Date('2023-12-01T12:00Z'))
  expect(await audit()).toEqual([])

  const { pool } = booted.database('budgeting')
  await pool.query(sql.unsafe`
    DELETE FROM spending WHERE account_id = ${accountId} AND spending_id = ${spendingId}`)
  const unplanned = newId('spnd')
  const request = { bankAccountId, spendingId: unplanned, spendingType: 'goal' }
  await envelopes.openEnvelope(request, as)
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

test('removal deletes the plans of one bank account only, and refuses new ones', async () => {
  const gone = await createSeptember(booted)
  const stays = await createSeptember(booted)
  await gone.expense(gone.fundingScheduleId)
  await stays.expense(stays.fundingScheduleId)
  await advanceOnly(booted, gone, new Date('2023-12-01T12:00Z'))
  const { removePlans } = removalActivities(depsOf(booted))
  const forged = removePlans(stays.accountId, [stays.bankAccountId])
  await expect(forged).rejects.toThrow('link of the bank accounts was not deleted')
  expect(await stays.list()).toHaveLength(1)
  await gone.links.deleteLink({ linkId: gone.linkId }, gone.as)
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

test('the sweep completes a creation with an envelope and deletes one without', async () => {
  booted.clock.now = new Date('2023-10-09T13:32Z')
  const home = await createBudgetHousehold(booted)
  const { fundingScheduleId } = await home.pay()
  const finished = await home.expense(fundingScheduleId, { name: 'with envelope' })
  const removed = await home.expense(fundingScheduleId, { name: 'without' })
  const { bankAccountId, as, accountId } = home
  await booted.database('ledger').pool.query(sql.unsafe`
    DELETE FROM envelopes WHERE spending_id = ${removed.spendingId}`)
  await booted.database('budgeting').pool.query(sql.unsafe`
    UPDATE spending SET state = 'opening' WHERE account_id = ${accountId}`)
  const shown = async () => (await home.list()).map(({ spendingId }) => spendingId)
  const states = () =>
    booted.database('budgeting').pool.anyFirst(sql.unsafe`
      SELECT state FROM spending WHERE account_id = ${accountId}`)
  // A plan is shown while it has an envelope.
  expect(await shown()).toEqual([finished.spendingId])
  const { endStaleCreations } = sweepActivities(depsOf(booted))
  expect(await endStaleCreations()).toBe(0)
  booted.clock.now = new Date('2023-10-09T13:34Z')
  expect(await endStaleCreations()).toBe(2)
  expect(await shown()).toEqual([finished.spendingId])
  expect(await states()).toEqual(['open'])
  const { spendingId } = removed
  await expect(home.spending.getSpending({ bankAccountId, spendingId }, as)).rejects.toMatchObject({
    code: Code.NotFound,
  })
})
