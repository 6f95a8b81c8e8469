import { ChangeSchema, FeedService, type ListChangesResponse } from '@coffer/proto/notices/v1/feed'
import { values } from '@coffer/proto/values'
import type { CallOptions } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { encodeCursor } from '../../http/queries/cursor.ts'
import { cursorOr, listOf, paged } from '../../http/queries/query.ts'

/** A position in the feed, as a cursor has it. */
export const position = z
  .tuple([z.string().regex(/^\d{1,18}$/)])
  .transform(([text]) => BigInt(text))

const afterText =
  'Cursor: only changes after it. Take it from nextCursor; latest is the end of the feed. ' +
  'Default: the beginning of what is kept'

export const changesQuery = paged(position).extend({
  after: cursorOr('latest', position, afterText),
  types: listOf(values['Change.type'], 'Only changes of these types, by commas'),
})

export type ChangesQuery = z.output<typeof changesQuery>

export const changesAnswer = {
  object: {
    changes: { list: ChangeSchema },
    nextCursor: { json: { type: 'string', description: 'Goes into after: never null' } },
    hasMore: { json: { type: 'boolean', description: 'Whether the feed goes on: ask again' } },
  },
}

/** Reads a page of the feed. */
export type ReadChanges = (
  query: ChangesQuery,
  options: CallOptions,
) => Promise<ListChangesResponse>

/** Returns a read of the feed by the query of a request. */
export function createRead({ mesh }: RouteDeps): ReadChanges {
  const feed = mesh.client('notices', FeedService)
  return ({ after, limit, types }, options) => {
    const start = after === undefined ? {} : after === 'latest' ? { fromEnd: true } : { after }
    return feed.listChanges({ limit, types, ...start }, options)
  }
}

/** Returns the value of an answer with a page of the feed. */
export function pageAnswer({ changes, position: end, hasMore }: ListChangesResponse) {
  return { changes, nextCursor: encodeCursor([String(end)]), hasMore }
}

/** Text of the refusal of a cursor that is too old. */
export const removedText =
  'Changes after the cursor are no longer kept: begin again with `after=latest`'
