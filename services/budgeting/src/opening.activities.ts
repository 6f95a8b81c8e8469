import { keptForHours } from '@coffer/kit/idempotency'
import type { ServiceDeps } from '@coffer/kit/service'
import { hourMs } from '@coffer/kit/time'
import { accountTimezone } from './account-settings.client.ts'
import { forEachInTurn } from './each.ts'
import { asSystem, hasEnvelope } from './ledger.client.ts'
import { dropOpening, forgetKeys, type Opening, staleOpenings } from './opening.sql.ts'
import { openPlan } from './spending-opening.rpc.ts'

/** A request that opens an envelope has given up long before. */
const staleAfterMs = 60_000
const batchSizeMax = 200
const keysMax = 5000

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock' | 'log'>

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
        (opening) => endOpening(deps, opening),
        (opening, err) => deps.log.error({ err, ...opening }, 'opening not ended'),
      )
      return openings.length
    },
    /** Forgets the keys of requests whose replies are no longer kept; returns how many. */
    forgetOldKeys: (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - keptForHours * hourMs)
      return forgetKeys(deps.database, { before, limit: keysMax })
    },
  }
}

async function endOpening(deps: Deps, opening: Opening): Promise<void> {
  const { spendingId } = opening
  const options = asSystem(deps, opening.accountId)
  if (!(await hasEnvelope(deps, opening, options))) return dropOpening(deps.database, opening)
  const timezone = await accountTimezone(deps, opening.accountId)
  const asOf = { timezone, now: deps.clock() }
  await deps.database.transaction((tx) => openPlan(tx, opening, { spendingId, asOf }))
}
