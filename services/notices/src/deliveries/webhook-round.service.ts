import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { pageOf } from '../feed/entry.ts'
import { readFeed } from '../feed/feed.sql.ts'
import { readRetryAfter } from '../requests/retry-after.ts'
import { signedHeaders } from '../requests/signature.ts'
import type { Sender } from '../requests/webhook-request.client.ts'
import { listPending, pendingMax } from './delivery.sql.ts'
import {
  type Attempt,
  afterAttempt,
  createDelivery,
  type Delivery,
  type Failing,
  failingAfter,
} from './delivery.ts'
import type { Taken } from './progress.sql.ts'
import { type Lane, planRound, settleWaiting } from './round.ts'
import { observeRequest } from './webhook-metrics.service.ts'

/**
 * Maximum number of changes that a round reads, and of objects to which its deliveries belong. It
 * is `probeSize` while a webhook fails.
 */
const pageSize = 100
const probeSize = 4
/** Concurrent requests to a webhook, each for another object. */
const atOnce = 8
/** Number of failed requests without a success after which a round starts no further request. */
const failedMax = 4

/** Parameters of all rounds under one lease, the exclusive right of a process to a webhook. */
export interface RoundOf {
  deps: Pick<ServiceDeps, 'database' | 'clock'>
  webhook: Taken
  sender: Sender
  keys: readonly Buffer[]
  /** Whether no further request may start. */
  isOver: () => boolean
}

/** Feed position at which a round begins, and the state of the webhook. */
export interface RoundState extends Failing {
  position: bigint
  /** Whether there may be stored pending deliveries. */
  hasPending: boolean
}

/** The result of a round, to save. */
export interface RoundResult {
  position: bigint
  /** Deliveries that are new or changed. */
  deliveries: Delivery[]
  attempts: Attempt[]
  failing: Failing
  /** Earliest instant at which a stored delivery is due. */
  dueAt: Date | null
  /** Whether the feed has further changes. */
  hasMore: boolean
}

/** Reads the next changes of a webhook and sends them (docs/changes/own-webhooks.md#order). */
export async function runRound(of: RoundOf, state: RoundState): Promise<RoundResult> {
  const { deps, webhook } = of
  const pending = state.hasPending ? await listPending(deps.database, webhook) : []
  const isFailing = state.failures > 0
  const page = await readPage(of, state, {
    limit: Math.min(isFailing ? probeSize : pageSize, pendingMax - pending.length),
  })
  const lanesMax = isFailing ? probeSize : pageSize
  const plan = planRound({ pending, fresh: page.fresh }, { now: deps.clock(), lanesMax })
  const { tried, left, attempts } = await sendLanes(of, plan.lanes)
  const now = deps.clock()
  const isPending = ({ status }: Delivery) => status === 'pending'
  const open = [...tried.filter(isPending), ...left, ...plan.waiting]
  const { waiting, dueAt } = settleWaiting(open, now)
  const stored = new Map(pending.map((one) => [one.deliveryId, one]))
  const ended = tried.filter((one) => !isPending(one))
  return {
    position: page.position,
    deliveries: [...ended, ...waiting.filter((one) => isChanged(stored.get(one.deliveryId), one))],
    attempts,
    failing: failingAfter(state, attempts, now),
    dueAt,
    hasMore: page.hasMore,
  }
}

async function readPage(
  { deps, webhook }: RoundOf,
  { position: after }: RoundState,
  { limit }: { limit: number },
): Promise<{ fresh: Delivery[]; position: bigint; hasMore: boolean }> {
  const none = { fresh: [], position: after, hasMore: false }
  if (limit <= 0) return none
  const { accountId, webhookId, types } = webhook
  const feed = await readFeed(deps.database, { accountId, after, types, readMax: pageSize + 1 })
  if (feed === null) return none
  // Leaves out changes of the webhook itself: when it is created, its receiver often does not run
  // yet.
  const others = feed.entries.filter(({ objectId }) => objectId !== webhookId)
  const { entries, position, hasMore } = pageOf({ ...feed, entries: others }, { after, limit })
  const now = deps.clock()
  const fresh = entries.map((entry) => {
    return createDelivery(entry, { webhookId, deliveryId: newId('dlv'), now })
  })
  return { fresh, position, hasMore }
}

/** Returns whether a stored delivery differs from the one to store. */
function isChanged(stored: Delivery | undefined, next: Delivery): boolean {
  if (stored === undefined || stored.attempts !== next.attempts) return true
  return stored.nextAttemptAt?.getTime() !== next.nextAttemptAt?.getTime()
}

interface Sent {
  tried: Delivery[]
  left: Delivery[]
  attempts: Attempt[]
}

/** Sends lanes concurrently, each in order up to its first delivery without an answer of 2xx. */
async function sendLanes(of: RoundOf, lanes: readonly Lane[]): Promise<Sent> {
  const sent: Sent = { tried: [], left: [], attempts: [] }
  const queue = [...lanes]
  const isStopped = () => {
    const { attempts } = sent
    const isFailing = attempts.length >= failedMax && attempts.every(({ problem }) => problem)
    return isFailing || attempts.some(({ status }) => status === 410) || of.isOver()
  }
  const work = async () => {
    for (let lane = queue.shift(); lane; lane = queue.shift())
      await sendLane(of, lane, sent, isStopped)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, lanes.length) }, work))
  return sent
}

async function sendLane(
  of: RoundOf,
  lane: Lane,
  sent: Sent,
  isStopped: () => boolean,
): Promise<void> {
  for (const [index, delivery] of lane.entries()) {
    if (isStopped()) {
      sent.left.push(...lane.slice(index))
      return
    }
    const attempt = await send(of, delivery)
    const next = afterAttempt(delivery, attempt, Math.random())
    sent.attempts.push(attempt)
    sent.tried.push(next)
    if (next.status === 'pending') {
      sent.left.push(...lane.slice(index + 1))
      return
    }
  }
}

async function send({ deps, sender, keys }: RoundOf, delivery: Delivery): Promise<Attempt> {
  const at = deps.clock()
  const { changeId: id, body } = delivery
  const begunAt = performance.now()
  const { retryAfter, ...answered } = await sender.post(body, signedHeaders({ id, at, body }, keys))
  observeRequest(answered, performance.now() - begunAt)
  const retryAfterMs = readRetryAfter(retryAfter, deps.clock())
  return { ...answered, at, retryAfterMs }
}
