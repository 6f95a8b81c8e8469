import type { ServiceDeps } from '@coffer/kit/service'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import { type FoundBankAccount, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { accountTimezones } from './account-settings.client.ts'
import { type MissedEvent, missedEvents, stretchesOf } from './advance.ts'
import { schedulesOfAll } from './advance-rows.sql.ts'
import { bookSteps } from './booking.activities.ts'
import type { settings } from './config.ts'
import { endBankAccount } from './ended-bank-account.sql.ts'
import { decideRuns } from './funding-run.activities.ts'
import { asJob } from './ledger.client.ts'
import { changedBy } from './plan.ts'
import { openPlansOfAll, type PlanScope, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/** Events of a round, and rounds of a run: what is left after years away is for the next run. */
const eventsMax = 100
const roundsMax = 100

export type AdvanceDeps = ServiceDeps<typeof settings>

/** A bank account that is being advanced: where it is, on what kind of link, what it holds. */
export interface Advancing {
  scope: PlanScope
  timezone: string
  isManualLink: boolean
  /** As of the beginning. */
  envelopes: readonly Envelope[]
}

/** A bank account with what it has missed, and the plans that it has. */
interface Course {
  advancing: Advancing
  events: MissedEvent[]
  plans: readonly FundedSpending[]
}

/**
 * Does for bank accounts all that should have happened by `now`, in order, each event as of its own
 * instant (design 4): side by side, a stretch of events of each at a time. Every step may be
 * repeated, or stopped anywhere. Those that are archived or removed are left alone from then on.
 * What fails, fails all of them; each alone goes on from where they are.
 */
export async function advanceTogether(
  deps: AdvanceDeps,
  scopes: readonly PlanScope[],
  now: Date,
): Promise<void> {
  let group = await liveOnes(deps, inOrder(scopes), now)
  for (let round = 1; round <= roundsMax && group.length > 0; round += 1) {
    group = await catchUp(deps, group, now)
  }
}

/** Locks are taken in one order by everybody. */
function inOrder(scopes: readonly PlanScope[]): PlanScope[] {
  return scopes
    .map(({ accountId, bankAccountId }) => ({ accountId, bankAccountId }))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

async function liveOnes(
  deps: AdvanceDeps,
  scopes: readonly PlanScope[],
  now: Date,
): Promise<Advancing[]> {
  const ledger = deps.mesh.client('ledger', ScheduledService)
  const { bankAccounts } = await ledger.lookUp({ bankAccounts: [...scopes] }, asJob(deps))
  const byPlace = new Map(bankAccounts.map((one) => [placeOf(one), one]))
  const live: { scope: PlanScope; found: FoundBankAccount }[] = []
  for (const scope of scopes) {
    const found = byPlace.get(placeOf(scope))
    if (found && !found.archived) live.push({ scope, found })
    else await endBankAccount(deps.database, scope, { reason: found ? 'archived' : 'removed', now })
  }
  const timezones = await accountTimezones(
    deps,
    live.map(({ scope }) => scope.accountId),
  )
  return live.map(({ scope, found: { linkType, envelopes } }) => {
    const timezone = timezones.get(scope.accountId) ?? ''
    return { scope, timezone, isManualLink: linkType === 'manual', envelopes }
  })
}

/** Does the earliest of what the bank accounts have missed; returns those that have more of it. */
async function catchUp(
  deps: AdvanceDeps,
  group: readonly Advancing[],
  now: Date,
): Promise<Advancing[]> {
  const scopes = group.map(({ scope }) => scope)
  const schedules = Map.groupBy(await schedulesOfAll(deps.database.pool, scopes), placeOf)
  // Only now: whatever has fired by the time of that list is among them, or booked.
  await bookSteps(
    deps,
    group.map((advancing) => ({ advancing, dues: [] })),
  )
  const spending = Map.groupBy(await openPlansOfAll(deps.database, scopes), placeOf)
  const courses = group.map((advancing): Course => {
    const place = placeOf(advancing.scope)
    const plans = spending.get(place) ?? []
    const known = { schedules: schedules.get(place) ?? [], spending: plans }
    const { timezone } = advancing
    return { advancing, plans, events: missedEvents(known, { timezone, now, limit: eventsMax }) }
  })
  await bringAmounts(deps, courses)
  await inStretches(deps, courses)
  return courses.flatMap(({ advancing, events }) => (events.length < eventsMax ? [] : advancing))
}

async function inStretches(deps: AdvanceDeps, courses: readonly Course[]): Promise<void> {
  const ways = courses.map(({ advancing, events }) => {
    return { advancing, stretches: stretchesOf(events) }
  })
  const length = Math.max(0, ...ways.map(({ stretches }) => stretches.length))
  for (let at = 0; at < length; at += 1) {
    const steps = ways.flatMap(({ advancing, stretches }) => {
      const stretch = stretches[at]
      return stretch ? { advancing, ...stretch } : []
    })
    await decideRuns(deps, steps)
    // Also what another run has decided, and is slow or dead: no due date may overtake its money.
    await bookSteps(deps, steps)
  }
}

/**
 * Brings the plans the amounts that the ledger has: what is decided from here on must not depend on
 * how soon events come. As of before the first event: the contributions are those that all of them
 * would have been decided on.
 */
async function bringAmounts({ database }: AdvanceDeps, courses: readonly Course[]): Promise<void> {
  const newer = courses.flatMap(({ advancing: { timezone, envelopes }, events, plans }) => {
    const [first] = events
    if (!first) return []
    const asOf = { timezone, now: new Date(first.at.getTime() - 1) }
    const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
    return plans.flatMap((plan) => changedBy(plan, byId.get(plan.spendingId), asOf))
  })
  await savePlans(database.pool, newer)
}

function placeOf({ accountId, bankAccountId }: { accountId: string; bankAccountId: string }) {
  return `${accountId} ${bankAccountId}`
}
