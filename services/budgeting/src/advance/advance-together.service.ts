import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { type FoundBankAccount, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { settings } from '../config.ts'
import { asJob } from '../ledger/ledger.client.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { accountTimezones } from '../tenancy/account-settings.client.ts'
import { endBankAccount } from '../tenancy/ended-bank-account.sql.ts'
import {
  type Advancing,
  type BookableOperation,
  type BookedOperation,
  decideStep,
} from './advance-step.ts'
import { type Booking, createDueBooking, createGraceBooking, createRunBooking } from './booking.ts'

/** Maximum number of steps of a group in one run of the hourly job; the next run continues. */
const stepsMax = 10_000

export type AdvanceDeps = ServiceDeps<typeof settings> & PlanWriter

/** Input of a bank account's next step; `booked` are the operations of its last step. */
interface NextStep {
  advancing: Advancing
  booked: readonly BookedOperation[]
}

/**
 * Books every firing and due date up to `now`, in order, each as of its own instant
 * (docs/hourly-job.md). A step is one save and one ledger call for all bank accounts. Idempotent: a
 * stopped run can be repeated. Archived and removed bank accounts get a tombstone. The first error
 * stops all bank accounts and is thrown.
 */
export async function advanceTogether(
  deps: AdvanceDeps,
  scopes: readonly BankAccountKey[],
  now: Date,
): Promise<void> {
  let steps: NextStep[] = (await findLiveAccounts(deps, scopes, now)).map((advancing) => {
    return { advancing, booked: [] }
  })
  for (let step = 1; step <= stepsMax && steps.length > 0; step += 1) {
    steps = await takeStep(deps, steps, now)
  }
}

async function findLiveAccounts(
  deps: AdvanceDeps,
  scopes: readonly BankAccountKey[],
  now: Date,
): Promise<Advancing[]> {
  const ledger = deps.mesh.client('ledger', ScheduledService)
  const bankAccounts = scopes.map(({ accountId, bankAccountId }) => ({ accountId, bankAccountId }))
  const found = await ledger.lookUp({ bankAccounts }, asJob(deps))
  const byKey = new Map(found.bankAccounts.map((one) => [keyOf(one), one]))
  const live: { scope: BankAccountKey; found: FoundBankAccount }[] = []
  for (const scope of bankAccounts) {
    const found = byKey.get(keyOf(scope))
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

/** Decides and books one step of each bank account; returns the inputs of the next steps. */
async function takeStep(
  deps: AdvanceDeps,
  steps: readonly NextStep[],
  now: Date,
): Promise<NextStep[]> {
  const outcomes = await deps.writeEach(
    steps.map(({ advancing, booked }) => ({
      scope: { ...advancing.scope, isWhole: true },
      timezone: advancing.timezone,
      decide: (current) => decideStep(current, { advancing, booked, now, createId: newId }),
    })),
  )
  const decided = steps.flatMap(({ advancing }, index) => {
    const outcome = outcomes[index]
    if (outcome?.status !== 'fulfilled') throw outcome?.reason
    return outcome.value ? { advancing, bookable: outcome.value } : []
  })
  const bookings = new Map<BookableOperation, Booking>()
  for (const { advancing, bookable } of decided) {
    for (const one of bookable) {
      const booking = createBooking(deps, advancing, one)
      if (booking) bookings.set(one, booking)
    }
  }
  const answers = await book(deps, bookings)
  return decided.map(({ advancing, bookable }) => ({
    advancing,
    booked: bookable.map((one) => ({ ...one, envelopes: answers.get(one) ?? [] })),
  }))
}

function createBooking(
  { config }: AdvanceDeps,
  { isManualLink, timezone }: Advancing,
  one: BookableOperation,
): Booking | null {
  const carryOver = config.expenseCarryOver
  switch (one.kind) {
    case 'run':
      return createRunBooking(one.run, { lines: one.lines, timezone })
    case 'grace':
      return createGraceBooking(one.plan, { carryOver, timezone })
    default: {
      const transactionId = newId('txn')
      return createDueBooking(one.plan, { isManualLink, carryOver, transactionId, timezone })
    }
  }
}

/**
 * Books operations in the ledger, each once (idempotency key). Returns the amounts of their
 * envelopes after the booking, keyed by operation.
 */
async function book(
  deps: AdvanceDeps,
  bookings: ReadonlyMap<BookableOperation, Booking>,
): Promise<Map<BookableOperation, BookedOperation['envelopes']>> {
  if (bookings.size === 0) return new Map()
  const ledger = deps.mesh.client('ledger', ScheduledService)
  const { booked } = await ledger.book({ bookings: [...bookings.values()] }, asJob(deps))
  return new Map(
    [...bookings.keys()].map((one, index) => [one, booked[index]?.envelopes ?? []] as const),
  )
}
