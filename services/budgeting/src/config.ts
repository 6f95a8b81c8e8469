import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'

/** Settings of budgeting, each with its environment variable and default. */
export const settings = {
  fundingSchedulesMax: setting(
    'COFFER_FUNDING_SCHEDULES_MAX',
    accountBound(200),
    'Funding schedules that a bank account may have',
  ),
  expenseCarryOver: setting(
    'COFFER_EXPENSE_CARRY_OVER',
    z.stringbool().default(false),
    'Whether an expense keeps its unspent money on its due date',
  ),
  advancedAtOnce: setting(
    'COFFER_ADVANCED_AT_ONCE',
    z.coerce.number().int().min(1).max(100).default(10),
    'Bank accounts that the hourly job advances in one group.',
  ),
  advanceShare: setting(
    'COFFER_ADVANCE_SHARE',
    z.coerce.number().gt(0).max(1).default(0.5),
    'Share of time in which the hourly job works; it works less while requests wait.',
  ),
}
