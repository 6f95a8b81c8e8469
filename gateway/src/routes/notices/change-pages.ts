import { isTransient } from '@coffer/kit/rpc/errors'
import { ChangeSchema, FeedService, type ListChangesResponse } from '@coffer/proto/notices/v1/feed'
import { values } from '@coffer/proto/values'
import type { CallOptions } from '@connectrpc/connect'
import { z } from 'zod'
import { createObjectReads, type ObjectOf } from '../../compose/changed-objects.ts'
import type { RouteDeps } from '../../deps.ts'
import { encodeCursor } from '../../http/queries/cursor.ts'
import { cursorOr, included, listOf, paged } from '../../http/queries/query.ts'

/** A position in the change feed, decoded from a cursor. */
export const position = z
  .tuple([z.string().regex(/^\d{1,18}$/)])
  .transform(([text]) => BigInt(text))

const afterText =
  'Cursor: only changes after it. Take it from nextCursor; latest is the end of the feed. ' +
  'Default: the beginning of what is kept'

export const changesQuery = paged(position).extend({
  after: cursorOr('latest', position, afterText),
  types: listOf(values['Change.type'], 'Only changes of these types, by commas'),
  include: included('object', 'object: each change has the present object, null if it is gone'),
})

export type ChangesQuery = z.output<typeof changesQuery>

const object = {
  json: {
    type: ['object', 'null'],
    description:
      'With include=object: the object as its own request answers it, as of now; null if it is ' +
      'gone. Left out for users and API keys unless a session asks',
  },
}

export const changesAnswer = {
  object: {
    changes: { list: { message: ChangeSchema, with: { object: { optional: object } } } },
    nextCursor: { json: { type: 'string', description: 'Goes into after: never null' } },
    hasMore: { json: { type: 'boolean', description: 'Whether the feed goes on: ask again' } },
  },
}

/** A page of the change feed, with the changed objects if the client asked for them. */
export interface ChangesPage extends Pick<ListChangesResponse, 'changes' | 'position' | 'hasMore'> {
  objectOf?: ObjectOf
}

/** Reads a page of the feed. */
export type ReadChanges = (query: ChangesQuery, options: CallOptions) => Promise<ChangesPage>

/** Returns a function that reads a page of the feed by the query of a request. */
export function createRead(deps: RouteDeps): ReadChanges {
  const feed = deps.mesh.client('notices', FeedService)
  const readObjects = createObjectReads(deps)
  return async ({ after, limit, types, include }, options) => {
    const start = after === undefined ? {} : after === 'latest' ? { fromEnd: true } : { after }
    const page = await feed.listChanges({ limit, types, ...start }, options)
    if (include === undefined || page.changes.length === 0) return page
    return { ...page, objectOf: await readObjects(page.changes, options) }
  }
}

/** The first page of a stream or long poll, or an empty page with the error of its read. */
export interface FirstRead {
  page: ChangesPage
  failure: unknown
}

/**
 * Reads the first page. For a waiting client with a cursor, a transient error returns an empty page
 * at its cursor, so that it continues to wait.
 */
export async function readFirst(
  read: ReadChanges,
  { isWaiting, ...query }: ChangesQuery & { isWaiting: boolean },
  options: CallOptions,
): Promise<FirstRead> {
  try {
    return { page: await read(query, options), failure: null }
  } catch (failure) {
    const { after } = query
    if (!isWaiting || typeof after !== 'bigint' || !isTransient(failure)) throw failure
    return { page: { changes: [], position: after, hasMore: false }, failure }
  }
}

/** Returns a page of the feed as the value of an answer. */
export function pageAnswer({ changes, position: end, hasMore, objectOf }: ChangesPage) {
  const shown = changes.map((message) => {
    const object = objectOf?.(message)
    return object === undefined ? { message } : { message, object }
  })
  return { changes: shown, nextCursor: encodeCursor([String(end)]), hasMore }
}

/** Refusal of a cursor that is too old. */
export const removedText =
  'Changes after the cursor are no longer kept: begin again with `after=latest`'
