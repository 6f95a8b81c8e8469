import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import { asSystem } from '@coffer/kit/rpc/system-call'
import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { createCounter } from '@coffer/kit/telemetry/meter'
import { hourMs } from '@coffer/kit/values/time'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { type FoundBankAccount, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { Code, ConnectError } from '@connectrpc/connect'
import { createRunBooking } from '../advance/booking.ts'
import type { FundedSpending } from '../book/spending.ts'
import type { settings } from '../config.ts'
import type { AsOf } from '../contributions/contribution.ts'
import { asJob } from '../ledger/ledger.client.ts'
import { heldIn, withContribution } from '../plans/plan.ts'
import type { Work } from '../plans/unit-of-work.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { accountTimezone } from '../tenancy/account-settings.client.ts'
import { endBankAccount, reopenBankAccount } from '../tenancy/ended-bank-account.sql.ts'
import { type Listed, listBankAccounts, listBookedRuns, listUnknown } from './comparison.sql.ts'

const pageSize = 200

/** Counts what the comparison has corrected, by kind; alert on an increase without a restore. */
const countDifferences = createCounter({
  name: 'coffer_plans_compared_differences_total',
  help: 'Differences between plans and the ledger that the comparison has corrected, by kind.',
  labelNames: ['kind'],
})

/**
 * Maximum age in ms of funding runs that are booked again, because a restored ledger may lack them.
 * Idempotent: the ledger ignores runs that it still has.
 */
const bookAgainMs = 7 * 24 * hourMs

/**
 * Cursor of the comparison: the last bank account of a page. The first pages list bank accounts
 * with plans, the pages with the side `ledger` those with open envelopes.
 */
type Cursor = BankAccountKey & { side?: 'ledger' }

const firstOfLedger: Cursor = { accountId: '', bankAccountId: '', side: 'ledger' }

type Deps = ServiceDeps<typeof settings> & PlanWriter

/**
 * Returns the activity that reconciles plans with the ledger, which may have been restored from a
 * backup (docs/plans.md#comparison-with-the-ledger).
 */
export function comparisonActivities(deps: Deps) {
  return {
    /**
     * Compares one page of bank accounts: first those with plans, then those with envelopes alone.
     * Failed bank accounts are logged, and compared again by the next run. `after` is the result
     * for the page before, null for the first page. Returns null after the last page.
     */
    comparePage: (after: Cursor | null): Promise<Cursor | null> =>
      after?.side === 'ledger' ? compareUnknown(deps, after) : compareKnown(deps, after),
  }
}

async function compareKnown(deps: Deps, after: BankAccountKey | null): Promise<Cursor> {
  const listed = await listBankAccounts(deps.database, { after, limit: pageSize })
  const ended = listed.filter(({ isEnded }) => isEnded)
  const reopened = await reopenLive(deps, ended)
  const scopes = [...listed.filter(({ isEnded }) => !isEnded), ...reopened]
  const known = new Map<string, readonly FundedSpending[]>()
  for (const scope of scopes) known.set(keyOf(scope), await deps.write(readPlans(scope)))
  const found = await lookUp(deps, scopes)
  await each(deps, scopes, (scope) => {
    const before = known.get(keyOf(scope)) ?? []
    return compare(deps, scope, { before, found: found.get(keyOf(scope)) })
  })
  const last = listed[pageSize - 1]
  return last ? { accountId: last.accountId, bankAccountId: last.bankAccountId } : firstOfLedger
}

/**
 * Closes the open envelopes of bank accounts that never had plans in budgeting: budgeting was
 * restored from a backup, and the ledger was not. Closes none if most bank accounts of the page are
 * unknown, because the database of budgeting is then probably empty or still being restored.
 */
async function compareUnknown(deps: Deps, after: BankAccountKey): Promise<Cursor | null> {
  const listed = await listWithEnvelopes(deps, after)
  const last = listed.at(-1)
  if (!last) return null
  // A plan is stored before its envelope, and plans are read here after envelopes, so an envelope
  // in creation is not taken for unknown.
  const unknown = await listUnknown(deps.database, listed)
  if (2 * unknown.length > listed.length) {
    countDifferences(unknown.length, 'envelope-without-plan')
    const { length: count } = unknown
    deps.log.error({ count }, 'most bank accounts with envelopes have no plans: none is closed')
  } else {
    const found = await lookUp(deps, unknown)
    const live = unknown.filter((one) => found.get(keyOf(one))?.archived === false)
    await each(deps, live, async (scope) => {
      const envelopes = found.get(keyOf(scope))?.envelopes ?? []
      const withoutPlan = listWithoutPlan(envelopes, await deps.write(readPlans(scope)))
      await closeEnvelopes(deps, scope, withoutPlan)
    })
  }
  return { accountId: last.accountId, bankAccountId: last.bankAccountId, side: 'ledger' }
}

/**
 * Lists a page of bank accounts with open envelopes.
 * until 0.4: none if the ledger is 0.2.0, which has no such RPC.
 */
async function listWithEnvelopes(
  deps: Deps,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<readonly BankAccountKey[]> {
  const ledger = deps.mesh.client('ledger', ScheduledService)
  try {
    const request = { after: { accountId, bankAccountId } }
    return (await ledger.listWithEnvelopes(request, asJob(deps))).bankAccounts
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unimplemented) return []
    throw error
  }
}

async function each(
  deps: Deps,
  scopes: readonly BankAccountKey[],
  work: (scope: BankAccountKey) => Promise<void>,
): Promise<void> {
  using pace = createPace({ share: deps.config.advanceShare })
  for (const { accountId, bankAccountId } of scopes) {
    const scope = { accountId, bankAccountId }
    await pace
      .run(() => work(scope))
      .catch((err) => deps.log.error({ err, ...scope }, 'plans not compared'))
  }
}

/** Returns the ledger's state of bank accounts by `keyOf`; without those of deleted links. */
async function lookUp(
  deps: Deps,
  scopes: readonly BankAccountKey[],
): Promise<Map<string, FoundBankAccount>> {
  if (scopes.length === 0) return new Map()
  const keys = scopes.map(({ accountId, bankAccountId }) => ({ accountId, bankAccountId }))
  const ledger = deps.mesh.client('ledger', ScheduledService)
  const { bankAccounts } = await ledger.lookUp({ bankAccounts: keys }, asJob(deps))
  return new Map(bankAccounts.map((one) => [keyOf(one), one]))
}

/**
 * Deletes the tombstones of bank accounts that the ledger has and that are not archived; returns
 * these bank accounts. A tombstone is stored after the ledger has removed or archived the bank
 * account, so the ledger was restored from a backup. Compare-and-set: a removal after the ledger's
 * response raises the version.
 */
async function reopenLive(deps: Deps, ended: readonly Listed[]): Promise<readonly Listed[]> {
  const found = await lookUp(deps, ended)
  const reopened: Listed[] = []
  for (const one of ended) {
    if (found.get(keyOf(one))?.archived !== false) continue
    const at = { version: one.version, now: deps.clock() }
    if (await reopenBankAccount(deps.database, one, at)) reopened.push(one)
  }
  return reopened
}

function readPlans(scope: BankAccountKey): Work<readonly FundedSpending[]> {
  return { scope: { ...scope, isWhole: true }, decide: ({ plans }) => ({ reply: plans }) }
}

/** Plans as read before the call to the ledger, and the ledger's response. */
interface Comparison {
  before: readonly FundedSpending[]
  found: FoundBankAccount | undefined
}

async function compare(
  deps: Deps,
  scope: BankAccountKey,
  { before, found }: Comparison,
): Promise<void> {
  const { database, mesh } = deps
  const now = await database.now()
  if (!found || found.archived) {
    const reason = found ? 'archived' : 'removed'
    await endBankAccount(database, scope, { reason, now })
    return countDifferences(1, 'bank-account')
  }
  const { accountId } = scope
  const asOf = { timezone: await accountTimezone(deps, accountId), now }
  const { envelopes } = found
  const { withoutPlan, deleted, corrected } = await deps.write({
    timezone: asOf.timezone,
    scope: { ...scope, isWhole: true },
    decide: ({ plans }) => {
      const correction = correctPlans({ plans, before, envelopes, asOf })
      const reply = {
        withoutPlan: listWithoutPlan(envelopes, plans),
        deleted: correction.deletedPlans.length,
        corrected: correction.plans.length,
      }
      return { reply, ...correction }
    },
  })
  countDifferences(deleted, 'plan-without-envelope')
  countDifferences(corrected, 'amounts')
  await closeEnvelopes(deps, scope, withoutPlan)
  const runs = await listBookedRuns(database, scope, new Date(now.getTime() - bookAgainMs))
  if (runs.length === 0) return
  // Idempotent: the ledger ignores operations that it has booked.
  const bookings = runs.map(({ run, lines }) =>
    createRunBooking(run, { lines, timezone: asOf.timezone }),
  )
  await mesh.client('ledger', ScheduledService).book({ bookings }, asJob(deps))
}

/**
 * Closes envelopes that have no plan. A plan is stored before its envelope, so the plan was
 * deleted.
 */
async function closeEnvelopes(
  deps: Deps,
  { accountId, bankAccountId }: BankAccountKey,
  withoutPlan: readonly string[],
): Promise<void> {
  countDifferences(withoutPlan.length, 'envelope-without-plan')
  const client = deps.mesh.client('ledger', EnvelopeService)
  for (const spendingId of withoutPlan) {
    await client.closeEnvelope({ bankAccountId, spendingId }, asSystem(deps, accountId))
  }
}

function listWithoutPlan(
  envelopes: readonly Envelope[],
  plans: readonly FundedSpending[],
): string[] {
  const planned = new Set(plans.map(({ spendingId }) => spendingId))
  return envelopes.flatMap(({ spendingId }) => (planned.has(spendingId) ? [] : spendingId))
}

/**
 * Deletes open plans without an envelope. Replaces amounts of open plans that are newer than the
 * ledger's, because the ledger's database was then restored from a backup
 * (docs/plans.md#comparison-with-the-ledger). Leaves out plans whose amounts have changed during
 * the call to the ledger.
 */
function correctPlans(of: {
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
      return withContribution({ ...plan, ...heldIn(plan, envelope) }, asOf)
    }),
  }
}
