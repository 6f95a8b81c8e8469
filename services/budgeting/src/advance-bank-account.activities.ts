import type { ServiceDeps } from '@coffer/kit/service'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { Code, ConnectError } from '@connectrpc/connect'
import { accountTimezone } from './account-settings.client.ts'
import { missedEvents } from './advance.ts'
import type { settings } from './config.ts'
import { endBankAccount } from './ended-bank-account.sql.ts'
import { bookRun, decideRun } from './funding-run.activities.ts'
import { pendingRuns } from './funding-run.sql.ts'
import { listFundingSchedules } from './funding-schedule.sql.ts'
import { asSystem } from './ledger.client.ts'
import { closePeriod } from './period.activities.ts'
import { type AsOf, changedBy } from './plan.ts'
import { listSpending, type PlanScope, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/** Events of a round, and rounds of a run: what is left after years away is for the next run. */
const eventsMax = 100
const roundsMax = 100

export type AdvanceDeps = ServiceDeps<typeof settings>

/** The bank account that is being advanced: where it is, and on what kind of link. */
export interface Advancing {
  scope: PlanScope
  timezone: string
  isManualLink: boolean
}

/**
 * Does for one bank account all that should have happened by `now`, in order, each event as of its
 * own instant (design 4). Every step may be repeated, or stopped anywhere. An archived or deleted
 * bank account is left alone from then on.
 */
export async function advanceBankAccount(
  deps: AdvanceDeps,
  scope: PlanScope,
  now: Date,
): Promise<void> {
  const { state, isManualLink } = await describe(deps, scope)
  if (state !== 'live') return endBankAccount(deps.database, scope, { reason: state, now })
  try {
    const timezone = await accountTimezone(deps, scope.accountId)
    const advancing = { scope, timezone, isManualLink }
    for (let round = 1; round <= roundsMax; round += 1) {
      if ((await catchUp(deps, advancing, now)) < eventsMax) return
    }
  } catch (error) {
    const after = await describe(deps, scope)
    if (after.state === 'live') throw error
    await endBankAccount(deps.database, scope, { reason: after.state, now })
  }
}

/** Does the earliest of the missed events; how many they were. */
async function catchUp(deps: AdvanceDeps, advancing: Advancing, now: Date): Promise<number> {
  const { scope, timezone } = advancing
  const { database } = deps
  const schedules = await listFundingSchedules(database, scope.accountId, scope.bankAccountId)
  // Only now: whatever has fired by the time of that list is among them, or booked.
  await bookPending(deps, advancing)
  const spending = await listSpending(database, scope)
  const events = missedEvents({ schedules, spending }, { timezone, now, limit: eventsMax })
  const [first] = events
  if (!first) return 0
  // As of before it: the contributions are those that all of them would have been decided on.
  const asOf = { timezone, now: new Date(first.at.getTime() - 1) }
  await bringAmounts(deps, scope, { plans: spending, asOf })
  for (const event of events) {
    if (event.kind === 'due') {
      await closePeriod(deps, advancing, event)
      continue
    }
    const run = await decideRun(deps, advancing, event)
    // Another run may have decided it, and be slow or dead: no due date may overtake its money.
    if (run) await bookRun(deps, advancing, run)
    else await bookPending(deps, advancing)
  }
  return events.length
}

async function bookPending(deps: AdvanceDeps, advancing: Advancing): Promise<void> {
  const runs = await pendingRuns(deps.database, advancing.scope)
  for (const run of runs) await bookRun(deps, advancing, run)
}

/**
 * Brings the plans the amounts that the ledger has: what is decided from here on must not depend on
 * how soon events come.
 */
async function bringAmounts(
  { database, mesh, ...deps }: AdvanceDeps,
  { accountId, bankAccountId }: PlanScope,
  { plans, asOf }: { plans: readonly FundedSpending[]; asOf: AsOf },
): Promise<void> {
  const ledger = mesh.client('ledger', EnvelopeService)
  const { envelopes } = await ledger.listEnvelopes({ bankAccountId }, asSystem(deps, accountId))
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  const newer = plans.flatMap((plan) => changedBy(plan, byId.get(plan.spendingId), asOf))
  await savePlans(database.pool, newer)
}

async function describe(
  deps: AdvanceDeps,
  { accountId, bankAccountId }: PlanScope,
): Promise<{ state: 'live' | 'archived' | 'removed'; isManualLink: boolean }> {
  const bankAccounts = deps.mesh.client('ledger', BankAccountService)
  try {
    const found = await bankAccounts.describeBankAccount(
      { bankAccountId },
      asSystem(deps, accountId),
    )
    return {
      state: found.archived ? 'archived' : 'live',
      isManualLink: found.linkType === 'manual',
    }
  } catch (error) {
    if (ConnectError.from(error).code !== Code.NotFound) throw error
    return { state: 'removed', isManualLink: false }
  }
}
