import type { ServiceDeps } from '@coffer/kit/service'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { Code, ConnectError } from '@connectrpc/connect'
import { asSystem } from './ledger.client.ts'
import { endOpening, type Opening, staleOpenings } from './opening.sql.ts'

/** A request that opens an envelope has given up long before. */
const staleAfterMs = 60_000
const batchSizeMax = 200

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock'>

/** Finishes spending objects that were left half-way between plan and envelope (design 4). */
export function openingActivities(deps: Deps) {
  return {
    /**
     * Opens the plans that have an envelope and removes the others; returns how many there were.
     */
    endStaleOpenings: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - staleAfterMs)
      const openings = await staleOpenings(deps.database, { before, limit: batchSizeMax })
      for (const opening of openings) {
        await endOpening(deps.database, opening, await hasEnvelope(deps, opening))
      }
      return openings.length
    },
  }
}

async function hasEnvelope(
  deps: Deps,
  { accountId, bankAccountId, spendingId }: Opening,
): Promise<boolean> {
  const ledger = deps.mesh.client('ledger', EnvelopeService)
  const request = { bankAccountId, spendingIds: [spendingId] }
  try {
    const { envelopes } = await ledger.listEnvelopes(request, asSystem(deps, accountId))
    return envelopes.length > 0
  } catch (error) {
    if (ConnectError.from(error).code === Code.NotFound) return false
    throw error
  }
}
