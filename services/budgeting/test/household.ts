import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Booted } from '@coffer/host/testing/boot'
import { createHousehold, type Opening } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { OverviewService } from '@coffer/proto/budgeting/v1/overview'
import { SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { sql } from 'slonik'
import { chicago, monthly, twiceMonthly } from './samples.ts'

export const at = (text: string) => timestampFromDate(new Date(text))
const balance = { availableBalance: 1_000_000n, currentBalance: 1_000_000n }

/**
 * Creates a household with 10,000.00 on a manual bank account. Returns it with clients of budgeting
 * and with functions that create schedules, expenses and goals.
 */
export async function createBudgetHousehold(booted: Booted, opening: Opening = {}) {
  const home = await createHousehold(booted, { ...balance, ...opening })
  const { accountId, bankAccountId, as } = home
  const schedules = booted.client('budgeting', FundingScheduleService)
  const spending = booted.client('budgeting', SpendingService)
  await booted.database('budgeting').pool.query(sql.unsafe`
    INSERT INTO account_settings (account_id, timezone, version)
    VALUES (${accountId}, ${opening.timezone ?? chicago}, 1) ON CONFLICT DO NOTHING`)

  const pay = async (changes: object = {}) => {
    const body = { bankAccountId, name: 'Pay', ruleset: twiceMonthly, ...changes }
    const { fundingSchedule } = await schedules.createFundingSchedule(body, as)
    if (!fundingSchedule) throw new Error('no schedule')
    return fundingSchedule
  }
  const expense = async (fundingScheduleId: string, changes: object = {}) => {
    const plan = { spendingType: 'expense', ruleset: monthly, targetAmount: 1000n }
    const body = { ...plan, nextRecurrence: at('2023-11-01T05:00Z'), ...changes }
    const named = { name: newId('name'), bankAccountId, fundingScheduleId, ...body }
    const created = await spending.createSpending(named, as)
    if (!created.spending) throw new Error('no spending')
    return created.spending
  }
  const goal = (fundingScheduleId: string, changes: object = {}) =>
    expense(fundingScheduleId, { spendingType: 'goal', ruleset: undefined, ...changes })
  const list = async () => (await spending.listSpending({ bankAccountId }, as)).spending
  const overview = (bankAccountIds = [bankAccountId]) =>
    booted.client('budgeting', OverviewService).getPlanOverview({ bankAccountIds }, as)
  return { ...home, schedules, spending, pay, expense, goal, list, overview }
}

export type Household = Awaited<ReturnType<typeof createBudgetHousehold>>
