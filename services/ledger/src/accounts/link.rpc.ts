import { create } from '@bufbuild/protobuf'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { keepReply, once } from '@coffer/kit/database/idempotency'
import { changeOf } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { duplicate, notFound } from '@coffer/kit/rpc/errors'
import { patchOf, toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { LinkCreatedSchema } from '@coffer/proto/ledger/v1/events'
import {
  CreateLinkResponseSchema,
  LinkSchema,
  type LinkService,
  UpdateLinkRequestSchema,
} from '@coffer/proto/ledger/v1/link'
import type { ServiceImpl } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import type { Link } from '../book/link.ts'
import { type Bounds, linkBound } from './bounds.sql.ts'
import { findLink, insertLink, listLinks, lockLink, saveLink } from './link.sql.ts'
import { changeLink, createLink, type LinkPatch, subjectOf } from './link-change.ts'
import { deleteLocked } from './link-deletion.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { config: Bounds }

/** Returns the RPC handlers of links to financial institutions (docs/links.md#links). */
export function linkRoutes({ config, database, clock }: Deps): ServiceImpl<typeof LinkService> {
  return {
    listLinks: async (_request, context) => {
      const links = await listLinks(database, callerOf(context).accountId)
      return { links: links.map((link) => toMessage(LinkSchema, link)) }
    },
    getLink: async ({ linkId }, context) => {
      const link = await findLink(database, callerOf(context).accountId, linkId)
      return { link: toMessage(LinkSchema, found(link)) }
    },
    createLink: (request, context) =>
      once({ database, context, reply: CreateLinkResponseSchema }, async (key) => {
        const { accountId, userId: createdBy } = callerOf(context)
        const { institutionName, description = null, feedLinkId = null } = request
        const body = { linkId: newId('link'), institutionName, description, feedLinkId }
        const link = createLink(body, { accountId, createdBy, now: clock() })
        const message = toMessage(LinkSchema, link)
        const reply = create(CreateLinkResponseSchema, { link: message })
        const event = toMessage(LinkCreatedSchema, link)
        const created = changeOf(LinkCreatedSchema, subjectOf(link), event)
        await database
          .transaction(async (tx) => {
            await insertLink(tx, link, [created])
            await requireWithin(tx, linkBound(config, accountId))
            await keepReply(tx, key, reply)
          })
          .catch(refuseTaken)
        return reply
      }),
    updateLink: async (request, context) => {
      const { accountId } = callerOf(context)
      const patch = patchOf(UpdateLinkRequestSchema, request) as LinkPatch
      const link = await database.transaction(async (tx) => {
        const before = found(await lockLink(tx, accountId, request.linkId))
        requireMatch(context, LinkSchema, toMessage(LinkSchema, before))
        const after = changeLink(before, patch, clock())
        await saveLink(tx, after)
        return after
      })
      return { link: toMessage(LinkSchema, link) }
    },
    deleteLink: async ({ linkId }, context) => {
      const { accountId } = callerOf(context)
      const now = clock()
      await database.transaction(async (tx) => {
        const link = found(await lockLink(tx, accountId, linkId))
        requireMatch(context, LinkSchema, toMessage(LinkSchema, link))
        await deleteLocked(tx, link, now)
      })
      return {}
    },
  }
}

function found(link: Link | null): Link {
  if (!link) throw notFound('link')
  return link
}

/** Throws `duplicate` (400) if another link uses the feed link; rethrows all other errors. */
function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'links_feed_link') {
    throw duplicate('link', { feedLinkId: say('LINK_TAKEN') })
  }
  throw error
}
