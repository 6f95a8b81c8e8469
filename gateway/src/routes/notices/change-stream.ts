import { Readable } from 'node:stream'
import { progressSubject } from '@coffer/kit/events/progress'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, isTransient } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'
import type { RouteDeps } from '../../deps.ts'
import { writeAnswer } from '../../http/answers/answer.ts'
import { createConcurrencyLimiter } from '../../http/concurrency-limiter.ts'
import { prefersToJson } from '../../http/negotiation.ts'
import { decodeCursor } from '../../http/queries/cursor.ts'
import { type Call, type Route, route } from '../../http/route.ts'
import { signalOfClose, whenClosed } from '../../sockets/close-signal.ts'
import { wakesOf } from '../../sockets/feed-wakes.ts'
import {
  type ChangesPage,
  type ChangesQuery,
  changesAnswer,
  changesQuery,
  type FirstRead,
  pageAnswer,
  position,
  type ReadChanges,
  readFirst,
  removedText,
} from './change-pages.ts'

const eventStream = 'text/event-stream'

/** Limits of open streams: each keeps a connection of its client and a subscription. */
const limits = {
  max: 1_000,
  perAccountMax: 20,
  text: say('TOO_MANY_STREAMS'),
}

/** Interval in ms of keep-alive comments, without which proxies close a silent connection. */
const silentMsDefault = 15_000
/** Timeout in ms of a stream whose client receives no data. */
const stuckMs = 45_000
/** Lifetime of a stream in ms. Clients then reconnect, and so spread over new replicas. */
const limitMs = 60 * 60_000
/** Reconnection time of the client, in ms. */
const retryText = 'retry: 1000\n\n'

/** Returns the route of the change feed as server-sent events (docs/api/changes.md#stream). */
export function streamRoute(deps: RouteDeps, read: ReadChanges): Route {
  const limiter = createConcurrencyLimiter(limits)
  return route({
    id: 'watchChanges',
    tag: 'Changes',
    method: 'GET',
    path: '/api/changes/stream',
    summary: 'The change feed as server-sent events',
    description:
      'The data of each event is the JSON of this answer, its ID the cursor: a client that ' +
      'connects again with Last-Event-ID misses nothing. A request that does not accept ' +
      'text/event-stream gets one page (docs/api/changes.md#stream).',
    since: '0.4.0',
    auth: 'key',
    query: changesQuery,
    isFiltered: true,
    isStreamed: true,
    isPatient: true,
    alternative: eventStream,
    answers: { 410: removedText },
    answer: changesAnswer,
    handler: async (call) => {
      const { request, reply, accountId } = call
      if (request.method === 'HEAD' || !prefersToJson(request, eventStream)) {
        return pageAnswer(await read(call.query, call.options))
      }
      const after = lastEventOf(request) ?? call.query.after ?? 'latest'
      const query = { ...call.query, after }
      whenClosed(reply.raw, limiter.acquire(accountId))
      const first = await readFirst(read, { ...query, isWaiting: true }, call.options)
      const events = eventsOf(deps, { read, query, first, call })
      // No compression: a compressor would buffer events.
      request.headers['x-no-compression'] = '1'
      reply.header('content-type', eventStream).header('cache-control', 'no-store')
      reply.header('x-accel-buffering', 'no')
      // Closes the connection after the stream: a process that stops ends its streams, and must not
      // get the next requests of their clients.
      reply.header('connection', 'close')
      return Readable.from(events, { objectMode: false })
    },
  })
}

/** Returns the position in `Last-Event-ID`; undefined without one. Throws invalid if malformed. */
function lastEventOf({ headers }: FastifyRequest): bigint | undefined {
  const sent = headers['last-event-id']
  if (typeof sent !== 'string' || sent === '') return undefined
  const found = decodeCursor(position, sent)
  if (found === null)
    throw invalid({ 'Last-Event-ID': 'must be the ID of an event of this stream' })
  return found
}

interface Streamed {
  read: ReadChanges
  query: ChangesQuery
  first: FirstRead
  call: Call<unknown, unknown>
}

/**
 * Yields the events of a stream: the first page at once if it could be read, later pages as changes
 * come, and keep-alive comments. Ends when the process stops, the credential has ended or changes
 * were removed: the client then reconnects, and gets the refusal. Backpressure: the feed is read
 * again only after the client has taken the last page; a client that takes none is disconnected.
 */
async function* eventsOf(
  { broker, draining, progressTimes }: RouteDeps,
  { read, query, first, call }: Streamed,
): AsyncGenerator<string> {
  const { accountId, reply, renewOptions } = call
  const { silentMs = silentMsDefault } = progressTimes ?? {}
  let { page } = first
  let sentAt = performance.now()
  const cut = () => reply.raw.destroy()
  async function* taken(text: string): AsyncGenerator<string> {
    const stuck = setTimeout(cut, stuckMs)
    try {
      yield text
    } finally {
      clearTimeout(stuck)
      sentAt = performance.now()
    }
  }
  yield* taken(`${retryText}${first.failure === null ? eventOf(page) : ''}`)
  const wakes = wakesOf({
    connection: broker.hasConnected() ? broker.connection : null,
    subject: broker.subject(progressSubject({ accountId, id: 'changes' })),
    times: { pollMs: 5_000, limitMs, ...progressTimes },
    signals: [signalOfClose(reply), draining],
  })
  for await (const _ of wakes) {
    do {
      try {
        page = await read({ ...query, after: page.position }, await renewOptions())
      } catch (error) {
        if (isTransient(error)) break
        return
      }
      if (page.changes.length > 0) yield* taken(eventOf(page))
      else if (performance.now() - sentAt > silentMs) yield* taken(': still here\n\n')
    } while (page.hasMore && !draining?.aborted)
  }
  yield* taken(retryText)
}

function eventOf(page: ChangesPage): string {
  const value = pageAnswer(page)
  const data = writeAnswer(changesAnswer, value)
  return `id: ${value.nextCursor}\nevent: changes\ndata: ${data}\n\n`
}
