import type { ServiceDeps } from '@coffer/kit/service/service'
import { type FoundBankAccount, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { settings } from '../config.ts'
import { asJob } from '../ledger/ledger.client.ts'
import type { PlanScope } from '../plans/spending.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { accountTimezones } from '../tenancy/account-settings.client.ts'
import { endBankAccount } from '../tenancy/ended-bank-account.sql.ts'
import { type Advancing, decideStep, type Happened, type Happening } from './advance-step.ts'
import { type Booking, bookingOfDue, bookingOfRun } from './booking.ts'

/** Steps of a run: what is left after years away is for the next one. */
const stepsMax = 10_000

export type AdvanceDeps = ServiceDeps<typeof settings> & PlanWriter

/** A bank account on its way, with what the ledger has booked of the step before. */
interface Course {
  advancing: Advancing
  happened: readonly Happened[]
}

/**
 * Does for bank accounts all that should have happened by `now`, in order, each event as of its own
 * instant: side by side, a stretch of events of each at a time. A step reads and saves the plans,
 * then has the ledger book; the next one goes on from its answer. Every step may be repeated, or
 * stopped anywhere. Those that are archived or removed are left alone from then on. What fails,
 * fails all of them; each alone goes on from where they are.
 */
export async function advanceTogether(
  deps: AdvanceDeps,
  scopes: readonly PlanScope[],
  now: Date,
): Promise<void> {
  let courses: Course[] = (await liveOnes(deps, scopes, now)).map((advancing) => {
    return { advancing, happened: [] }
  })
  for (let step = 1; step <= stepsMax && courses.length > 0; step += 1) {
    courses = await takeStep(deps, courses, now)
  }
}

async function liveOnes(
  deps: AdvanceDeps,
  scopes: readonly PlanScope[],
  now: Date,
): Promise<Advancing[]> {
  const ledger = deps.mesh.client('ledger', ScheduledService)
  const bankAccounts = scopes.map(({ accountId, bankAccountId }) => ({ accountId, bankAccountId }))
  const found = await ledger.lookUp({ bankAccounts }, asJob(deps))
  const byPlace = new Map(found.bankAccounts.map((one) => [placeOf(one), one]))
  const live: { scope: PlanScope; found: FoundBankAccount }[] = []
  for (const scope of bankAccounts) {
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

/** Takes one step of each; returns those that may have more of them. */
async function takeStep(
  deps: AdvanceDeps,
  courses: readonly Course[],
  now: Date,
): Promise<Course[]> {
  const outcomes = await deps.writeEach(
    courses.map(({ advancing, happened }) => ({
      scope: { ...advancing.scope, isWhole: true },
      decide: (current) => decideStep(current, { advancing, happened, now }),
    })),
  )
  const decided = courses.flatMap(({ advancing }, index) => {
    const outcome = outcomes[index]
    if (outcome?.status !== 'fulfilled') throw outcome?.reason
    return outcome.value ? { advancing, happenings: outcome.value } : []
  })
  const bookings = new Map<Happening, Booking>()
  for (const { advancing, happenings } of decided) {
    for (const one of happenings) {
      const booking = bookingOf(deps, advancing, one)
      if (booking) bookings.set(one, booking)
    }
  }
  const answers = await book(deps, bookings)
  return decided.map(({ advancing, happenings }) => ({
    advancing,
    happened: happenings.map((one) => ({ ...one, envelopes: answers.get(one) ?? [] })),
  }))
}

function bookingOf(
  { config }: AdvanceDeps,
  { isManualLink }: Advancing,
  one: Happening,
): Booking | null {
  return one.kind === 'run'
    ? bookingOfRun(one.run, one.lines)
    : bookingOfDue(one.plan, { isManualLink, carryOver: config.expenseCarryOver })
}

/** Has the ledger book; each once, whoever asks for it again. Returns what the envelopes hold. */
async function book(
  deps: AdvanceDeps,
  bookings: ReadonlyMap<Happening, Booking>,
): Promise<Map<Happening, Happened['envelopes']>> {
  if (bookings.size === 0) return new Map()
  const ledger = deps.mesh.client('ledger', ScheduledService)
  const { booked } = await ledger.book({ bookings: [...bookings.values()] }, asJob(deps))
  return new Map(
    [...bookings.keys()].map((one, index) => [one, booked[index]?.envelopes ?? []] as const),
  )
}

function placeOf({ accountId, bankAccountId }: PlanScope): string {
  return `${accountId} ${bankAccountId}`
}
