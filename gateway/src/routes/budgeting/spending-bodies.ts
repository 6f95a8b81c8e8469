import { z } from 'zod'
import {
  boolean,
  exactly,
  graceDays,
  id,
  ignoringNull,
  name,
  nullOr,
  positiveMoney,
  ruleset,
  timestamp,
} from '../../http/fields/fields.ts'

const rule = 'DTSTART line, LF, RRULE line (RFC 5545; docs/recurrence.md)'

const plan = {
  name: name.describe('Name, unique within the bank account and type, ignoring case and accents'),
  fundingScheduleId: id('fund').describe('Funding schedule of the same bank account'),
  targetAmount: positiveMoney.describe('Amount needed by the due date, in minor units; above 0'),
  isPaused: boolean
    .optional()
    .describe('Whether fundings and due dates pass it over. Default: false'),
}

const settlesWhenSpent = boolean
  .optional()
  .describe('Whether the bill of an expense counts as paid once its target is spent')

/** Body that creates an expense or a goal (docs/plans.md#creating-changing-and-deleting). */
export const creation = z.union([
  z.strictObject({
    spendingType: exactly('expense').describe('An expense: due repeatedly by its ruleset'),
    ...plan,
    ruleset: ruleset.describe(`Rule of the due dates: ${rule}`),
    nextRecurrence: timestamp
      .optional()
      .describe(
        "Next due date: midnight in the account's timezone, tomorrow or later. Without it, the " +
          'next occurrence of the ruleset',
      ),
    autoCreateTransaction: boolean
      .optional()
      .describe(
        'Whether each due date creates its transaction; on a manual link only. Default: false',
      ),
    settlesWhenSpent: settlesWhenSpent.describe(
      'Whether the bill of the period counts as paid once its target is spent. Default: the ' +
        'setting COFFER_EXPENSE_SETTLES_WHEN_SPENT, false',
    ),
    graceDays: graceDays
      .optional()
      .describe(
        'Days after a due date in which its money stays for bills paid late, 0 to 14. Default: ' +
          'the setting COFFER_EXPENSE_GRACE_DAYS, 0',
      ),
    carryOver: boolean
      .optional()
      .describe(
        'Whether unspent money stays when the period ends. Default: the setting ' +
          'COFFER_EXPENSE_CARRY_OVER, as it is on each due date',
      ),
  }),
  z.strictObject({
    spendingType: exactly('goal').describe('A goal: due once'),
    ...plan,
    nextRecurrence: timestamp.describe(
      "Due date: midnight in the account's timezone, tomorrow or later",
    ),
    ruleset: z
      .null({ error: 'must be null: goals do not recur' })
      .optional()
      .describe('Null or not sent: goals do not recur'),
  }),
])

/** Body of a PATCH of an expense or a goal; a goal has no `ruleset` (docs/api.md#patch). */
export const change = z.strictObject({
  name: name.optional().describe('New name, unique within the bank account and type'),
  fundingScheduleId: id('fund').optional().describe('Other funding schedule of the bank account'),
  targetAmount: positiveMoney
    .optional()
    .describe('New amount needed by the due date, in minor units; above 0'),
  nextRecurrence: timestamp
    .optional()
    .describe(
      'New due date, any hour of its day; 400 if it has passed. Without it, a new ruleset moves ' +
        'it to the next occurrence',
    ),
  ruleset: nullOr(ruleset)
    .optional()
    .describe(`New rule of the due dates of an expense: ${rule}. A goal accepts null only`),
  autoCreateTransaction: boolean
    .optional()
    .describe('Whether each due date of an expense creates its transaction; on a manual link only'),
  isPaused: boolean
    .optional()
    .describe('Whether fundings and due dates pass it over; its money is kept'),
  settlesWhenSpent,
  graceDays: graceDays
    .optional()
    .describe('Days after a due date in which the money of an expense stays, 0 to 14'),
  carryOver: nullOr(boolean)
    .optional()
    .describe('Whether unspent money of an expense stays; null: the setting of the server'),
})

export const transfer = z
  .strictObject({
    fromSpendingId: ignoringNull(id('spnd')).describe(
      'Expense or goal that gives the money; null or not sent is free-to-use',
    ),
    toSpendingId: ignoringNull(id('spnd')).describe(
      'Expense or goal that gets the money; null or not sent is free-to-use',
    ),
    amount: positiveMoney.describe(
      'Amount to move, in minor units, above 0; at most what the source envelope holds',
    ),
  })
  .refine(({ fromSpendingId, toSpendingId }) => fromSpendingId || toSpendingId, {
    path: ['fromSpendingId'],
    error: 'fromSpendingId or toSpendingId is required',
  })
  .meta({
    not: { properties: { fromSpendingId: { type: 'null' }, toSpendingId: { type: 'null' } } },
  })
