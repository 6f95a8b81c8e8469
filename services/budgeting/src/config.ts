import { setting } from '@coffer/kit/config'
import { z } from 'zod'

/** The settings of budgeting. */
export const settings = {
  expenseCarryOver: setting(
    'COFFER_EXPENSE_CARRY_OVER',
    z.stringbool().default(false),
    'Whether an expense keeps what is left of its target when its due date has come',
  ),
}
