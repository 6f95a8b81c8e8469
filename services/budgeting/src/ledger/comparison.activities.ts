import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { hourMs } from '@coffer/kit/values/time'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { type FoundBankAccount, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { bookingOfRun } from '../advance/booking.ts'
import type { settings } from '../config.ts'
import { type AsOf, withContribution } from '../plans/plan.ts'
import type { FundedSpending, PlanScope } from '../plans/spending.ts'
import type { Work } from '../plans/unit-of-work.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { accountTimezone } from '../tenancy/account-settings.client.ts'
import { endBankAccount } from '../tenancy/ended-bank-account.sql.ts'
import { listBookedRuns, listBooks } from './comparison.sql.ts'
import { asJob, asSystem } from './ledger.client.ts'

const pageSize = 200

/** Runs that were decided within this time are offered to the ledger again. */
const offeredAgainMs = 7 * 24 * hourMs

type Deps = ServiceDeps<typeof settings> & PlanWriter

/** Compares plans and runs with the ledger, which may have been restored (docs/plans.md). */
export function comparisonActivities(deps: Deps) {
  return {
    /**
     * Compares a page of bank accounts; returns the last one, null after the last page. One that
     * fails does not hold up the others: it is logged, and compared again by the next run.
     */
    comparePage: async (after: PlanScope | null): Promise<PlanScope | null> => {
      const scopes = await listBooks(deps.database, { after, limit: pageSize })
      using pace = createPace({ share: deps.config.advanceShare })
      const known = new Map<string, readonly FundedSpending[]>()
      for (const scope of scopes) known.set(scope.bankAccountId, await deps.write(plansOf(scope)))
      const ledger = deps.mesh.client('ledger', ScheduledService)
      const { bankAccounts } = await ledger.lookUp({ bankAccounts: [...scopes] }, asJob(deps))
      const found = new Map(bankAccounts.map((one) => [one.bankAccountId, one]))
      for (const scope of scopes) {
        const { bankAccountId } = scope
        const before = known.get(bankAccountId) ?? []
        await pace
          .run(() => compare(deps, scope, { before, found: found.get(bankAccountId) }))
          .catch((err) => deps.log.error({ err, ...scope }, 'plans not compared'))
      }
      return scopes[pageSize - 1] ?? null
    },
  }
}

function plansOf(scope: PlanScope): Work<readonly FundedSpending[]> {
  return { scope: { ...scope, isWhole: true }, decide: ({ plans }) => ({ reply: plans }) }
}

/** What is known of a bank account: its plans, and then what the ledger said of it. */
interface Known {
  before: readonly FundedSpending[]
  found: FoundBankAccount | undefined
}

async function compare(deps: Deps, scope: PlanScope, { before, found }: Known): Promise<void> {
  const { database, mesh, clock } = deps
  const now = clock()
  if (!found || found.archived) {
    const reason = found ? 'archived' : 'removed'
    return endBankAccount(database, scope, { reason, now })
  }
  const { accountId, bankAccountId } = scope
  const asOf = { timezone: await accountTimezone(deps, accountId), now }
  const { envelopes } = found
  const withoutPlan = await deps.write({
    scope: { ...scope, isWhole: true },
    decide: ({ plans }) => ({
      reply: without(envelopes, plans),
      ...restated({ plans, before, envelopes, asOf }),
    }),
  })
  // A plan is there before its envelope: that of these is deleted.
  const client = mesh.client('ledger', EnvelopeService)
  for (const spendingId of withoutPlan) {
    await client.closeEnvelope({ bankAccountId, spendingId }, asSystem(deps, accountId))
  }
  const runs = await listBookedRuns(database, scope, new Date(now.getTime() - offeredAgainMs))
  if (runs.length === 0) return
  // What the ledger has booked already changes nothing.
  const bookings = runs.map(({ run, lines }) => bookingOfRun(run, lines))
  await mesh.client('ledger', ScheduledService).book({ bookings }, asJob(deps))
}

function without(envelopes: readonly Envelope[], plans: readonly FundedSpending[]): string[] {
  const planned = new Set(plans.map(({ spendingId }) => spendingId))
  return envelopes.flatMap(({ spendingId }) => (planned.has(spendingId) ? [] : spendingId))
}

/**
 * Plans that were open before the ledger was asked, and are as they were: without an envelope they
 * go, and amounts of a version that the ledger no longer has are replaced by what it has.
 */
function restated(of: {
  plans: readonly FundedSpending[]
  before: readonly FundedSpending[]
  envelopes: readonly Envelope[]
  asOf: AsOf
}) {
  const { plans, before, envelopes, asOf } = of
  const held = new Map(envelopes.map((one) => [one.spendingId, one]))
  const versions = new Map(
    before.flatMap((one) => (one.state === 'open' ? [[one.spendingId, one.amountsVersion]] : [])),
  )
  const same = plans.filter((plan) => versions.get(plan.spendingId) === plan.amountsVersion)
  return {
    deletedPlans: same.filter(({ spendingId }) => !held.has(spendingId)),
    plans: same.flatMap((plan) => {
      const envelope = held.get(plan.spendingId)
      if (!envelope || envelope.version >= plan.amountsVersion) return []
      const { currentAmount, usedAmount, version: amountsVersion } = envelope
      return withContribution({ ...plan, currentAmount, usedAmount, amountsVersion }, asOf)
    }),
  }
}
