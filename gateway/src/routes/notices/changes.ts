import { progressSubject } from '@coffer/kit/events/progress'
import { isTransient } from '@coffer/kit/rpc/errors'
import { ChangeSchema, FeedService, type ListChangesResponse } from '@coffer/proto/notices/v1/feed'
import { values } from '@coffer/proto/values'
import type { CallOptions } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { createConcurrencyLimiter } from '../../http/concurrency-limiter.ts'
import { encodeCursor, nextPageLink } from '../../http/queries/cursor.ts'
import { cursorOr, integer, listOf, paged } from '../../http/queries/query.ts'
import { type Call, type Route, route } from '../../http/route.ts'
import { signalOfClose } from '../../sockets/close-signal.ts'
import { wakesOf } from '../../sockets/feed-wakes.ts'

const position = z.tuple([z.string().regex(/^\d{1,18}$/)]).transform(([text]) => BigInt(text))

const afterText =
  'Cursor: only changes after it. Take it from nextCursor; latest is the end of the feed. ' +
  'Default: the beginning of what is kept'

const query = paged(position).extend({
  after: cursorOr('latest', position, afterText),
  types: listOf(values['Change.type'], 'Only changes of these types, by commas'),
  wait: integer('Seconds to wait for a change if there is none', { fallback: 0, min: 0, max: 30 }),
})

type Query = z.output<typeof query>

const answer = {
  object: {
    changes: { list: ChangeSchema },
    nextCursor: { json: { type: 'string', description: 'Goes into after: never null' } },
    hasMore: { json: { type: 'boolean', description: 'Whether the feed goes on: ask again' } },
  },
}

/** Bounds on requests that wait: each keeps a connection of its client and a subscription. */
const limits = {
  max: 1_000,
  perAccountMax: 20,
  text: 'too many requests wait for changes: repeat after Retry-After',
}

/** Reads a page of the feed. */
type Read = (query: Query, options: CallOptions) => Promise<ListChangesResponse>

/** Returns a read of the feed by the query of a request. */
function createRead({ mesh }: RouteDeps): Read {
  const feed = mesh.client('notices', FeedService)
  return ({ after, limit, types }, options) => {
    const start = after === undefined ? {} : after === 'latest' ? { fromEnd: true } : { after }
    return feed.listChanges({ limit, types, ...start }, options)
  }
}

/**
 * Returns a function that reads until there is a change, the wait ends, the client closes or the
 * process stops. A service that is away for a moment ends no wait.
 */
function createWait({ broker, draining, progressTimes }: RouteDeps, read: Read) {
  const limiter = createConcurrencyLimiter(limits)
  return async (
    { accountId, query, renewOptions, reply }: Call<unknown, Query>,
    empty: ListChangesResponse,
  ): Promise<ListChangesResponse> => {
    const release = limiter.acquire(accountId)
    let page = empty
    const readAgain = async () => read({ ...query, after: page.position }, await renewOptions())
    const closed = signalOfClose(reply)
    try {
      const wakes = wakesOf({
        connection: broker.hasConnected() ? broker.connection : null,
        subject: broker.subject(progressSubject({ accountId, id: 'changes' })),
        times: { pollMs: 5_000, ...progressTimes, limitMs: query.wait * 1_000 },
        signals: [closed, draining],
      })
      for await (const _ of wakes) {
        page = await readAgain().catch((error) => {
          if (isTransient(error)) return page
          throw error
        })
        if (page.changes.length > 0) break
      }
      return page
    } finally {
      release()
    }
  }
}

/** Returns the routes of the change feed (docs/api/changes.md). */
export function changeRoutes(deps: RouteDeps): Route[] {
  const read = createRead(deps)
  const waitForChanges = createWait(deps, read)
  return [
    route({
      id: 'listChanges',
      tag: 'Changes',
      method: 'GET',
      path: '/api/changes',
      summary: 'Which objects have changed since a cursor, in one order',
      description:
        'A reader that follows nextCursor gets each change once; the object is read by its ID. ' +
        'With wait, an empty answer comes after that time or when the server stops: ask again ' +
        'with its cursor (docs/api/changes.md).',
      since: '0.4.0',
      auth: 'key',
      query,
      isFiltered: true,
      isPaged: true,
      answers: {
        410: 'Changes after the cursor are no longer kept: begin again with `after=latest`',
      },
      answer,
      handler: async (call) => {
        const { options, reply, request } = call
        const { after, wait } = call.query
        const first = await read(call.query, options)
        const isWaiting = wait > 0 && after !== 'latest' && first.changes.length === 0
        const page = isWaiting && !first.hasMore ? await waitForChanges(call, first) : first
        const next = [String(page.position)]
        if (page.hasMore) reply.header('link', nextPageLink(request.url, next))
        const { changes, hasMore } = page
        return { changes, nextCursor: encodeCursor(next), hasMore }
      },
    }),
  ]
}
