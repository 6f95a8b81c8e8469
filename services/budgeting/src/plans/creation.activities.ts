import { keptForHours } from '@coffer/kit/database/idempotency'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { hourMs } from '@coffer/kit/values/time'
import { forEachSequentially } from '../advance/sequential.ts'
import { asSystem, hasEnvelope } from '../ledger/ledger.client.ts'
import { accountTimezone } from '../tenancy/account-settings.client.ts'
import { listOldKeys, listStaleCreations, type Reserved } from './creation.sql.ts'
import { completeCreation, withdrawCreation } from './creation.ts'
import type { Work } from './unit-of-work.ts'
import type { PlanWriter } from './writer.service.ts'

/** Longer than the deadline of any request, so that no request still works on the plan. */
const staleAfterMs = 60_000
const batchSizeMax = 200
const keysMax = 500

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock' | 'log'> & PlanWriter

/**
 * Sweep of unfinished creations of spending objects and of expired idempotency keys
 * (docs/plans.md#creating-changing-and-deleting).
 */
export function creationActivities(deps: Deps) {
  return {
    /**
     * Completes the creations that have an envelope and deletes the other plans. Returns the
     * number of plans found. Throws AggregateError after the whole batch if any of it failed.
     */
    endStaleOpenings: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - staleAfterMs)
      const creations = await listStaleCreations(deps.database, { before, limit: batchSizeMax })
      await forEachSequentially(
        creations,
        (reserved) => endCreation(deps, reserved),
        (reserved, err) => deps.log.error({ err, ...reserved }, 'creation not completed'),
      )
      return creations.length
    },
    /** Clears idempotency keys whose replies have expired; returns the number of plans. */
    forgetOldKeys: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - keptForHours * hourMs)
      const old = await listOldKeys(deps.database, { before, limit: keysMax })
      const outcomes = await deps.writeEach(old.map(clearKey))
      return outcomes.filter(({ status }) => status === 'fulfilled').length
    },
  }
}

async function endCreation(deps: Deps, reserved: Reserved): Promise<void> {
  const options = asSystem(deps, reserved.accountId)
  if (!(await hasEnvelope(deps, reserved, options))) return deps.write(withdrawCreation(reserved))
  const timezone = await accountTimezone(deps, reserved.accountId)
  const asOf = { timezone, now: deps.clock() }
  await deps.write(
    completeCreation({ plan: reserved, asOf, amounts: null }, () => ({ reply: null })),
  )
}

function clearKey({ accountId, bankAccountId, spendingId }: Reserved): Work<void> {
  return {
    scope: { accountId, bankAccountId, spendingIds: [spendingId] },
    decide: ({ plans }) => ({
      reply: undefined,
      plans: plans
        .filter((plan) => plan.spendingId === spendingId)
        .map((plan) => ({ ...plan, openingKey: null, openingBody: null })),
    }),
  }
}
