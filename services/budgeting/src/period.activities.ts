import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import type { AdvanceDeps, Advancing } from './advance-bank-account.activities.ts'
import { rollDue } from './due-dates.ts'
import { asSystem } from './ledger.client.ts'
import { withAmounts, withContribution } from './plan.ts'
import { findPlans, lockPlans, savePlans } from './spending.sql.ts'
import type { Spending } from './spending.ts'

/**
 * Closes the period of an expense that is due (`spec/decisions.md`, Due date of an expense): the
 * ledger books it, once for each due date, then the plan moves to its next one. A goal that is due
 * only keeps the date (`spec/budgeting.md` 7.2).
 */
export async function closePeriod(
  deps: AdvanceDeps,
  advancing: Advancing,
  { spendingId, at }: { spendingId: string; at: Date },
): Promise<void> {
  const { scope, timezone } = advancing
  const [plan] = await findPlans(deps.database, scope, [spendingId])
  if (plan?.state !== 'open' || plan.isPaused || !isDue(plan, at)) return
  const envelope = plan.spendingType === 'expense' ? await book(deps, advancing, plan) : undefined
  const asOf = { timezone, now: new Date(at.getTime() + 1) }
  await deps.database.transaction(async (tx) => {
    const [locked] = await lockPlans(tx, scope, { spendingId })
    if (!locked || !isDue(locked, at)) return
    const closed = envelope ? withAmounts(locked, envelope, asOf) : locked
    await savePlans(tx, [withContribution({ ...closed, ...rollDue(closed, timezone) }, asOf)])
  })
}

function isDue({ nextRecurrence, lastRecurrence }: Spending, at: Date): boolean {
  const isPast = lastRecurrence?.getTime() === at.getTime()
  return !isPast && nextRecurrence.getTime() === at.getTime()
}

async function book(
  deps: AdvanceDeps,
  { scope, isManualLink }: Advancing,
  plan: Spending,
): Promise<Envelope | undefined> {
  const due = timestampFromDate(plan.nextRecurrence)
  const { spendingId, bankAccountId, name, targetAmount } = plan
  const carryOver = deps.config.expenseCarryOver
  const transaction = { transactionId: newId('txn'), name, amount: targetAmount, date: due }
  const { envelope } = await deps.mesh.client('ledger', EnvelopeService).closePeriod(
    {
      ...{ bankAccountId, spendingId, due, targetAmount, carryOver },
      ...(plan.autoCreateTransaction && isManualLink ? { transaction } : {}),
    },
    asSystem(deps, scope.accountId),
  )
  return envelope
}
