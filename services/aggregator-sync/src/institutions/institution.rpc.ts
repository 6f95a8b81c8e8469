import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import {
  InstitutionSchema,
  type InstitutionService,
} from '@coffer/proto/aggregatorsync/v1/institution'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { LRUCache } from 'lru-cache'
import {
  byRequest,
  type LinkDeps,
  refuseFault,
  requireEnabled,
} from '../connections/upstream-call.service.ts'
import type { UpstreamInstitution } from '../provider/aggregator.ts'
import { admitRequest } from '../provider/request-limit.sql.ts'
import { findInstitution, saveInstitution } from './institution.sql.ts'

const keptMs = 30 * 60_000
const unknownMs = 60_000
const unknownMax = 1_000

/** Returns the RPC handlers of institutions (docs/banks/aggregator.md#institutions). */
export function institutionRoutes(deps: LinkDeps): ServiceImpl<typeof InstitutionService> {
  // Negative cache: expiry of unknown IDs. It saves calls, since the aggregator's limits apply to
  // all accounts together.
  const unknownUntil = new LRUCache<string, number>({ max: unknownMax })
  return {
    getInstitution: async ({ institutionId }, context) => {
      const { accountId } = callerOf(context)
      requireEnabled(deps)
      if (!/^ins_\d{1,20}$/.test(institutionId)) {
        throw invalid({ institutionId: say('INSTITUTION_ID') })
      }
      const now = deps.clock().getTime()
      if ((unknownUntil.get(institutionId) ?? 0) > now) throw notFound('institution')
      const read = await readInstitution(deps, { accountId, institutionId }, context)
      if (!read) {
        unknownUntil.set(institutionId, now + unknownMs)
        throw notFound('institution')
      }
      const { status, ...institution } = read
      const statusJson = JSON.stringify(status)
      return { institution: toMessage(InstitutionSchema, { ...institution, statusJson }) }
    },
  }
}

/**
 * Returns an institution, at most 30 minutes old; null for an unknown one. Throws refused (429)
 * beyond the account's limit, and refused (500) for faults.
 */
async function readInstitution(
  { database, clock, openAggregator }: LinkDeps,
  { accountId, institutionId }: { accountId: string; institutionId: string },
  context: HandlerContext,
): Promise<UpstreamInstitution | null> {
  const after = new Date(clock().getTime() - keptMs)
  const kept = await findInstitution(database, institutionId, after)
  if (kept) return kept
  await admitRequest(database, { accountId, kind: 'institutions', now: clock() })
  const aggregator = await openAggregator()
  const read = await aggregator
    .readInstitution(institutionId, byRequest(context))
    .catch((error) => refuseFault('PLAID_INSTITUTION_FAILED', error))
  if (!read) return null
  await saveInstitution(database, read, clock())
  return read
}
