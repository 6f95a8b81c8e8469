import { keptForHours } from '@coffer/kit/database/idempotency'
import { asSystem } from '@coffer/kit/rpc/system-call'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { hourMs } from '@coffer/kit/values/time'
import { findEnvelope } from '../ledger/ledger.client.ts'
import { completeCreation, onPlan, withdrawCreation } from '../plans/plan-works.ts'
import type { Work } from '../plans/unit-of-work.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { finishRemoval } from '../schedules/schedule-removal.service.ts'
import { accountTimezone } from './account-settings.client.ts'
import { listOldKeys, listStaleCreations, listStaleRemovals, type Reserved } from './sweep.sql.ts'

/** Minimum age in ms of swept rows: above any request's deadline, so that no request uses them. */
const staleAfterMs = 60_000

const batchSizeMax = 200
const keysMax = 500

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock' | 'log'> & PlanWriter

/**
 * Returns the activities of the sweep, a periodic clean-up. Each processes one batch and returns
 * its size. `endStaleCreations` and `endStaleRemovals` throw AggregateError at the end if an item
 * fails.
 */
export function sweepActivities(deps: Deps) {
  const { database, log } = deps
  const before = async (ms: number) => new Date((await database.now()).getTime() - ms)
  const stale = async () => ({ before: await before(staleAfterMs), limit: batchSizeMax })
  return {
    /** Completes unfinished creations that have an envelope; deletes the plans of the others. */
    endStaleCreations: async (): Promise<number> => {
      const creations = await listStaleCreations(database, await stale())
      return forEachSequentially(
        creations,
        (reserved) => endCreation(deps, reserved),
        (reserved, err) => log.error({ err, ...reserved }, 'creation not completed'),
      )
    },
    /** Finishes schedule deletions that began more than a minute ago. */
    endStaleRemovals: async (): Promise<number> => {
      const removals = await listStaleRemovals(database, await stale())
      return forEachSequentially(
        removals,
        (schedule) => finishRemoval(deps, schedule, asSystem(deps, schedule.accountId)),
        (schedule, err) => log.error({ err, ...schedule }, 'deletion of a schedule not finished'),
      )
    },
    /** Clears idempotency keys whose replies have expired. */
    forgetOldKeys: async (): Promise<number> => {
      const replied = await before(keptForHours * hourMs)
      const old = await listOldKeys(database, { before: replied, limit: keysMax })
      const outcomes = await deps.writeEach(old.map(clearKey))
      return outcomes.filter(({ status }) => status === 'fulfilled').length
    },
  }
}

/**
 * Works on every item in order; returns their number. A failed item does not stop the others; all
 * failures are thrown at the end in an AggregateError.
 */
async function forEachSequentially<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  onFailure: (item: Item, error: unknown) => void,
): Promise<number> {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      onFailure(item, error)
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} failed`)
  return items.length
}

async function endCreation(deps: Deps, reserved: Reserved): Promise<void> {
  const options = asSystem(deps, reserved.accountId)
  const envelope = await findEnvelope(deps, reserved, options)
  if (!envelope) return deps.write(withdrawCreation(reserved))
  const timezone = await accountTimezone(deps, reserved.accountId)
  const asOf = { timezone, now: deps.clock() }
  await deps.write(
    completeCreation({ plan: reserved, asOf, amounts: undefined }, () => ({ reply: null })),
  )
}

function clearKey(reserved: Reserved): Work<void> {
  return onPlan(reserved, (plan) => ({
    reply: undefined,
    plans: plan ? [{ ...plan, openingKey: null, openingBody: null }] : [],
  }))
}
