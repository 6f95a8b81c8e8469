import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { graceDaysMax } from './book/spending.ts'

export const settings = {
  fundingSchedulesMax: setting(
    'COFFER_FUNDING_SCHEDULES_MAX',
    accountBound(200),
    'Funding schedules of a bank account',
  ),
  expenseCarryOver: setting(
    'COFFER_EXPENSE_CARRY_OVER',
    z.stringbool().default(false),
    'Keep the unspent money of an expense on its due date',
  ),
  expenseGraceDays: setting(
    'COFFER_EXPENSE_GRACE_DAYS',
    z.coerce.number().int().min(0).max(graceDaysMax).default(0),
    'graceDays of new expenses that do not state them: 0 to 14',
  ),
  expenseSettlesWhenSpent: setting(
    'COFFER_EXPENSE_SETTLES_WHEN_SPENT',
    z.stringbool().default(false),
    'settlesWhenSpent of new expenses that do not state it',
  ),
  advancedAtOnce: setting(
    'COFFER_ADVANCED_AT_ONCE',
    z.coerce.number().int().min(1).max(100).default(10),
    'Bank accounts in one group of the hourly job',
  ),
  advanceShare: setting(
    'COFFER_ADVANCE_SHARE',
    z.coerce.number().gt(0).max(1).default(0.5),
    'Duty cycle of the hourly job: its share of time; less while requests wait',
  ),
}
