import { progressSubject } from '@coffer/kit/events/progress'
import { isTransient } from '@coffer/kit/rpc/errors'
import type { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { createConcurrencyLimiter } from '../../http/concurrency-limiter.ts'
import { nextPageLink } from '../../http/queries/cursor.ts'
import { integer } from '../../http/queries/query.ts'
import { type Call, type Route, route } from '../../http/route.ts'
import { signalOfClose } from '../../sockets/close-signal.ts'
import { wakesOf } from '../../sockets/feed-wakes.ts'
import {
  type ChangesPage,
  changesAnswer,
  changesQuery,
  createRead,
  type FirstRead,
  pageAnswer,
  type ReadChanges,
  readFirst,
  removedText,
} from './change-pages.ts'
import { streamRoute } from './change-stream.ts'

const waitQuery = changesQuery.extend({
  wait: integer('Seconds to wait for a change if there is none', { fallback: 0, min: 0, max: 30 }),
})

/** Limits of long polls: each keeps a connection of its client and a subscription. */
const limits = {
  max: 1_000,
  perAccountMax: 20,
  text: 'too many requests wait for changes: repeat after Retry-After',
}

/**
 * Long poll: returns a function that reads until there is a change, the time limit ends, the client
 * closes or the process stops. Transient errors of the service do not end it, but the last error is
 * thrown if every read failed. When the process stops, the client continues at another one.
 */
function createWait({ broker, draining, progressTimes }: RouteDeps, read: ReadChanges) {
  const limiter = createConcurrencyLimiter(limits)
  return async (
    { accountId, query, renewOptions, reply }: Call<unknown, z.output<typeof waitQuery>>,
    { page: first, failure: failed }: FirstRead,
    leftMs: number,
  ): Promise<ChangesPage> => {
    const release = limiter.acquire(accountId)
    let page = first
    let failure = failed
    const closed = signalOfClose(reply)
    const readAgain = async () => {
      try {
        page = await read({ ...query, after: page.position }, await renewOptions())
        failure = null
      } catch (error) {
        if (!isTransient(error)) throw error
        failure &&= error
      }
    }
    try {
      const wakes = wakesOf({
        connection: broker.hasConnected() ? broker.connection : null,
        subject: broker.subject(progressSubject({ accountId, id: 'changes' })),
        times: { pollMs: 5_000, ...progressTimes, limitMs: leftMs },
        signals: [closed, draining],
      })
      for await (const _ of wakes) {
        await readAgain()
        if (page.changes.length > 0) break
      }
      if (failure !== null && !draining?.aborted) throw failure
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
        'with its cursor. after=latest does not wait (docs/api/changes.md).',
      since: '0.4.0',
      auth: 'key',
      query: waitQuery,
      isFiltered: true,
      isPaged: true,
      isPatient: true,
      answers: { 410: removedText },
      answer: changesAnswer,
      handler: async (call) => {
        const { options, reply, request } = call
        const { after, wait } = call.query
        const askedAt = performance.now()
        const first = await readFirst(read, { ...call.query, isWaiting: wait > 0 }, options)
        const isEmpty = first.page.changes.length === 0 && !first.page.hasMore
        const leftMs = askedAt + wait * 1_000 - performance.now()
        const isWaiting = wait > 0 && after !== 'latest' && isEmpty
        const page = isWaiting ? await waitForChanges(call, first, leftMs) : first.page
        const next = [String(page.position)]
        if (page.hasMore) reply.header('link', nextPageLink(request.url, next))
        return pageAnswer(page)
      },
    }),
    streamRoute(deps, read),
  ]
}
