import { progressSubject } from '@coffer/kit/events/progress'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound } from '@coffer/kit/rpc/errors'
import { AggregatorLinkService } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import type { CallOptions } from '@connectrpc/connect'
import { createGetAggregatorLink } from '../../compose/aggregator-link.ts'
import type { RouteDeps } from '../../deps.ts'
import { createConcurrencyLimiter } from '../../http/concurrency-limiter.ts'
import { type Route, route } from '../../http/route.ts'
import { signalOfClose } from '../../sockets/close-signal.ts'
import type { State } from '../../sockets/progress.ts'
import { waitForStatus } from '../../sockets/status-wait.ts'

/** Limits of long polls: each keeps a connection of its client and a subscription. */
const limits = {
  max: 100,
  perAccountMax: 10,
  text: 'too many requests wait for the set-up of a link: repeat after Retry-After',
}

/** Statuses of a link whose first sync has ended. */
const setUpStatuses = ['setup', 'pending_expiration']

/** Returns the route that waits for the set-up of a link (docs/links.md#waiting-for-the-set-up). */
export function setUpWaitRoute({ mesh, broker, progressTimes, draining }: RouteDeps): Route {
  const connections = mesh.client('aggregator-sync', AggregatorLinkService)
  const limiter = createConcurrencyLimiter(limits)
  const getLink = createGetAggregatorLink(
    mesh,
    'cannot wait for the set-up of a non-Plaid link: choose a link of type aggregator',
  )

  /** Returns the status of a link; null until aggregator-sync knows it. */
  async function findStatus(linkId: string, options: CallOptions): Promise<State | null> {
    const { aggregatorLinks } = await connections.listAggregatorLinks(
      { linkIds: [linkId] },
      options,
    )
    const [link] = aggregatorLinks
    if (link?.deletedAt) throw notFound('link', say('LINK_DELETED'))
    return link ? { status: link.status } : null
  }

  return route({
    id: 'waitForLinkSetup',
    tag: 'Aggregator',
    method: 'GET',
    path: '/api/aggregator/link/setup/wait/:linkId',
    summary: 'Wait until an aggregator link is set up: 408 after 30 s, then ask again',
    description:
      'A long poll: 200 without a body as soon as the first sync has ended ' +
      '(docs/links.md#waiting-for-the-set-up).',
    since: '0.2.0',
    auth: 'paidSession',
    feature: 'aggregator',
    answers: { 408: 'Nothing has happened in time, or the server stops: repeat' },
    handler: async ({ params: { linkId }, accountId, options, renewOptions, reply }) => {
      const closed = signalOfClose(reply)
      await getLink(linkId, options)
      const release = limiter.acquire(accountId)
      try {
        const isSetUp = await waitForStatus({
          connection: broker.hasConnected() ? broker.connection : null,
          subject: broker.subject(progressSubject({ accountId, id: linkId })),
          statuses: setUpStatuses,
          times: progressTimes ?? { pollMs: 5_000, limitMs: 30_000 },
          signals: [closed, draining],
          read: async () => findStatus(linkId, await renewOptions()),
        })
        if (!isSetUp) reply.code(408)
      } finally {
        release()
      }
    },
  })
}
