import {
  type HistoryEntry,
  HistoryEntrySchema,
  HistoryService,
} from '@coffer/proto/ledger/v1/history'
import { z } from 'zod'
import { cursorOf } from '../../http/cursor.ts'
import { cursor, pageLimit } from '../../http/query.ts'
import { renderedAll } from '../../http/rest.ts'
import { type Call, type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

// What an entry shows of itself names it.
const part = z.string().regex(/^[\x21-\x7e]{0,200}$/)
const place = z
  .tuple([part, part, part, part])
  .transform(([operationId, spendingId, pot, cause]) => ({
    ...{ operationId, pot, cause },
    ...(spendingId === '' ? {} : { spendingId }),
  }))

const query = z.object({
  limit: pageLimit,
  after: cursor(place),
})

function placeOf({ operationId, spendingId = '', pot, cause }: HistoryEntry): string[] {
  return [operationId, spendingId, pot, cause]
}

const answer = {
  object: {
    entries: { list: HistoryEntrySchema },
    nextCursor: { json: { type: ['string', 'null'] } },
  },
}

/** Why amounts are what they are: pages of the journal, newest first (design 1, The journal). */
export function historyRoutes({ mesh }: RouteDeps): Route[] {
  const history = mesh.client('ledger', HistoryService)
  const page = async ({
    params,
    query: { limit, after },
    options,
  }: Call<{ bankAccountId: string; spendingId?: string }, z.output<typeof query>>) => {
    const before = after === undefined ? {} : { before: after }
    const { entries, hasMore } = await history.listHistory({ ...params, limit, ...before }, options)
    const last = entries.at(-1)
    return {
      entries: renderedAll(HistoryEntrySchema, entries),
      nextCursor: hasMore && last ? cursorOf(placeOf(last)) : null,
    }
  }
  return [
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/history',
      summary: 'Every change of its balances and envelopes with its cause, newest first',
      auth: 'key',
      query,
      answer,
      handler: page,
    }),
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/spending/:spendingId/history',
      summary: 'Every change of what an expense or goal holds with its cause, newest first',
      auth: 'key',
      query,
      answer,
      handler: page,
    }),
  ]
}
