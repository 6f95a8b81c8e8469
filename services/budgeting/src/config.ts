import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'

/** The settings of budgeting. */
export const settings = {
  fundingSchedulesMax: setting(
    'COFFER_FUNDING_SCHEDULES_MAX',
    accountBound(200),
    'Funding schedules a bank account may have',
  ),
  expenseCarryOver: setting(
    'COFFER_EXPENSE_CARRY_OVER',
    z.stringbool().default(false),
    'Whether an expense keeps what is left of its target when its due date has come',
  ),
  advancedAtOnce: setting(
    'COFFER_ADVANCED_AT_ONCE',
    z.coerce.number().int().min(1).max(100).default(10),
    'Bank accounts that the hourly job brings up to date together.',
  ),
  advanceShare: setting(
    'COFFER_ADVANCE_SHARE',
    z.coerce.number().gt(0).max(1).default(0.5),
    'Share of the time that the hourly job works; less while requests have to wait.',
  ),
}
