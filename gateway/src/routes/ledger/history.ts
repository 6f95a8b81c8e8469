import {
  type HistoryEntry,
  HistoryEntrySchema,
  HistoryService,
} from '@coffer/proto/ledger/v1/history'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { encodeCursor, nextPageLink } from '../../http/queries/cursor.ts'
import { paged } from '../../http/queries/query.ts'
import { type Call, type Route, route } from '../../http/route.ts'

// Part of a position in the history; four parts identify an entry of the journal.
const part = z.string().regex(/^[\x21-\x7e]{0,200}$/)
const position = z
  .tuple([part, part, part, part])
  .transform(([operationId, spendingId, pot, cause]) => ({
    operationId,
    pot,
    cause,
    ...(spendingId === '' ? {} : { spendingId }),
  }))

const query = paged(position)

function positionOf({ operationId, spendingId = '', pot, cause }: HistoryEntry): string[] {
  return [operationId, spendingId, pot, cause]
}

const answer = {
  object: {
    entries: { list: HistoryEntrySchema },
    nextCursor: { nullable: { json: { type: 'string' } } },
  },
}

/** Returns the routes that list the journal, newest entry first (docs/money.md#the-journal). */
export function historyRoutes({ mesh }: RouteDeps): Route[] {
  const history = mesh.client('ledger', HistoryService)
  const page = async ({
    params,
    query: { limit, after },
    options,
    request,
    reply,
  }: Call<{ bankAccountId: string; spendingId?: string }, z.output<typeof query>>) => {
    const before = after === undefined ? {} : { before: after }
    const { entries, hasMore } = await history.listHistory({ ...params, limit, ...before }, options)
    const last = entries.at(-1)
    const next = hasMore && last ? positionOf(last) : null
    if (next) reply.header('link', nextPageLink(request.url, next))
    return { entries, nextCursor: next && encodeCursor(next) }
  }
  return [
    route({
      id: 'listHistory',
      tag: 'Bank accounts',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/history',
      summary: 'Every change of balances and envelopes with its cause, newest first',
      description:
        'Entries of balances and of all envelopes. nextCursor goes into after, and is null on ' +
        'the last page (docs/money.md#the-journal).',
      since: '0.1.0',
      auth: 'key',
      query,
      isPaged: true,
      answer,
      handler: page,
    }),
    route({
      id: 'listSpendingHistory',
      tag: 'Spending',
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId/history',
      summary: 'Every change of an envelope with its cause, newest first',
      description:
        'Entries of one envelope; of a goal also those of the amount that it has given. ' +
        'nextCursor goes into after, and is null on the last page.',
      since: '0.1.0',
      auth: 'key',
      query,
      isPaged: true,
      answer,
      handler: page,
    }),
  ]
}
