import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { changeOf } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { isId } from '@coffer/kit/values/id'
import { LinkCreatedSchema } from '@coffer/proto/ledger/v1/events'
import type { SyncImportService, UpsertLinkRequest } from '@coffer/proto/ledger/v1/sync_import'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { type Bounds, linkBound } from '../accounts/bounds.sql.ts'
import { findLink, insertLinkOnce, lockLink, saveLink } from '../accounts/link.sql.ts'
import { createAggregatorLink, detachLink, subjectOf } from '../accounts/link-change.ts'
import { deleteLocked } from '../accounts/link-deletion.service.ts'
import { copyLinkType } from '../money/link-type.sql.ts'
import { requireActiveLink, requireSource } from './link-source.ts'
import { nameOf } from './provider-row.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { config: Bounds }

/** Returns the RPC handlers of aggregator links (docs/syncs.md#import-calls). */
export function linkSyncRoutes(
  deps: Deps,
): Pick<ServiceImpl<typeof SyncImportService>, 'upsertLink' | 'detachLink' | 'discardLink'> {
  const { database, clock } = deps
  return {
    upsertLink: (request, context) => upsertLink(deps, request, context),
    detachLink: async ({ linkId }, context) => {
      const { accountId, issuer } = callerOf(context)
      const now = clock()
      const isChanged = await database.transaction(async (tx) => {
        const locked = await lockLink(tx, accountId, linkId)
        if (!locked || locked.deletedAt !== null || locked.linkType === 'manual') return false
        requireSource(locked, issuer)
        const link = detachLink(locked, now)
        await saveLink(tx, link)
        await copyLinkType(tx, link)
        return true
      })
      return { isChanged }
    },
    discardLink: async ({ linkId }, context) => {
      const { accountId, issuer } = callerOf(context)
      const now = clock()
      await database.transaction(async (tx) => {
        const locked = await lockLink(tx, accountId, linkId)
        if (!locked || locked.deletedAt !== null) return
        requireSource(locked, issuer)
        await deleteLocked(tx, locked, now)
      })
      return {}
    },
  }
}

async function upsertLink(
  { config, database, clock }: Deps,
  request: UpsertLinkRequest,
  context: HandlerContext,
) {
  const { accountId, userId, issuer } = callerOf(context)
  const { linkId, createdBy = userId } = request
  if (!isId('link', linkId)) throw invalid({ linkId: 'is not the ID of a link' })
  const institutionName = nameOf(request.institutionName)
  if (institutionName === '') throw invalid({ institutionName: say('REQUIRED') })
  const body = { linkId, institutionName }
  const link = createAggregatorLink(body, { accountId, createdBy, now: clock() })
  const event = changeOf(LinkCreatedSchema, subjectOf(link), toMessage(LinkCreatedSchema, link))
  const isNew = await database.transaction(async (tx) => {
    const isInserted = await insertLinkOnce(tx, link, [event])
    if (isInserted) await requireWithin(tx, linkBound(config, accountId))
    return isInserted
  })
  if (!isNew) requireActiveLink(await findLink(database, accountId, linkId), issuer)
  return { isNew }
}
