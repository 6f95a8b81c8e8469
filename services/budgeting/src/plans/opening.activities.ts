import { keptForHours } from '@coffer/kit/database/idempotency'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { hourMs } from '@coffer/kit/values/time'
import { forEachInTurn } from '../advance/each.ts'
import { asSystem, hasEnvelope } from '../ledger/ledger.client.ts'
import { accountTimezone } from '../tenancy/account-settings.client.ts'
import { oldKeys, type Reserved, staleOpenings } from './opening.sql.ts'
import { opening, withdrawal } from './opening.ts'
import type { Work } from './unit-of-work.ts'
import type { PlanWriter } from './writer.service.ts'

/** A request that opens an envelope has given up long before. */
const staleAfterMs = 60_000
const batchSizeMax = 200
const keysMax = 500

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock' | 'log'> & PlanWriter

/** Finishes spending objects that were left half-way between plan and envelope (design 4). */
export function openingActivities(deps: Deps) {
  return {
    /**
     * Opens the plans that have an envelope and removes the others; returns how many there were.
     * Throws once all have been tried, where one has failed.
     */
    endStaleOpenings: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - staleAfterMs)
      const openings = await staleOpenings(deps.database, { before, limit: batchSizeMax })
      await forEachInTurn(
        openings,
        (reserved) => endOpening(deps, reserved),
        (reserved, err) => deps.log.error({ err, ...reserved }, 'creation not ended'),
      )
      return openings.length
    },
    /** Forgets the keys of requests whose replies are no longer kept; returns how many. */
    forgetOldKeys: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - keptForHours * hourMs)
      const old = await oldKeys(deps.database, { before, limit: keysMax })
      const outcomes = await deps.writeEach(old.map(forgetting))
      return outcomes.filter(({ status }) => status === 'fulfilled').length
    },
  }
}

async function endOpening(deps: Deps, reserved: Reserved): Promise<void> {
  const options = asSystem(deps, reserved.accountId)
  if (!(await hasEnvelope(deps, reserved, options))) return deps.write(withdrawal(reserved))
  const timezone = await accountTimezone(deps, reserved.accountId)
  const asOf = { timezone, now: deps.clock() }
  await deps.write(opening({ plan: reserved, asOf, amounts: null }, () => ({ reply: null })))
}

function forgetting({ accountId, bankAccountId, spendingId }: Reserved): Work<void> {
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
