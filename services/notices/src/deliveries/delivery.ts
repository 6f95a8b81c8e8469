import { dayMs, hourMs } from '@coffer/kit/values/time'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import type { Entry } from '../feed/entry.ts'

/** A change that a webhook gets, or a test (docs/changes/own-webhooks.md#deliveries). */
export const Delivery = z.object({
  accountId: z.string(),
  webhookId: z.string(),
  deliveryId: z.string(),
  changeId: z.string(),
  type: z.string(),
  objectId: z.string(),
  /** Position in the feed: the order of the deliveries of an object. */
  position: z.bigint(),
  /** Body of each attempt, unchanged, because signatures cover its exact text. */
  body: z.string(),
  status: z.enum(values['Delivery.status']),
  /** Number of attempts since the creation, or since a request to send it again. */
  attempts: z.number().int(),
  createdAt: z.date(),
  /**
   * Start of the three days in which failed attempts are repeated. They include the time in which
   * the delivery waits for an earlier delivery of the same object.
   */
  startedAt: z.date().nullable(),
  attemptedAt: z.date().nullable(),
  /** Null if the delivery is not pending, or waits for an earlier delivery of the same object. */
  nextAttemptAt: z.date().nullable(),
  answerStatus: z.number().int().nullable(),
  answer: z.string().nullable(),
  problem: z.string().nullable(),
})
export type Delivery = z.infer<typeof Delivery>

/** Type of a test delivery, which a user requests, and which is no change of the feed. */
export const pingType = 'webhook.ping'

/** Time in ms for which failed attempts are repeated. */
const attemptsMs = 3 * dayMs

const minuteMs = 60_000
const pausesMs = [5_000, minuteMs, 5 * minuteMs, 30 * minuteMs, 120 * minuteMs, 300 * minuteMs]
const pauseMsMax = 720 * minuteMs
const jitterMax = 0.1
const restMsMax = 5 * minuteMs
const retryAfterMsMax = dayMs

/** The outcome of an attempt: an answer, or the reason why there is none. */
export interface Attempt {
  at: Date
  status: number | null
  answer: string | null
  /** The reason why the attempt failed; null for an answer of 2xx. */
  problem: string | null
  /** Pause in ms that the answer asks for. */
  retryAfterMs: number | null
}

/** Returns the delivery of an entry of the feed, before its first attempt. */
export function createDelivery(
  entry: Entry,
  of: { webhookId: string; deliveryId: string; now: Date },
): Delivery {
  const { accountId, changeId, type, objectId, position, at } = entry
  const change = { accountId, changeId, type, objectId, position, at }
  return newDelivery({ ...change, ...of, data: dataOf(entry) })
}

/** Returns a delivery with this content, which is due now. */
export function newDelivery(of: {
  accountId: string
  webhookId: string
  deliveryId: string
  changeId: string
  type: string
  objectId: string
  position: bigint
  at: Date
  data: object
  now: Date
}): Delivery {
  const { accountId, webhookId, deliveryId, changeId, type, objectId, position, at, now } = of
  return {
    accountId,
    webhookId,
    deliveryId,
    changeId,
    type,
    objectId,
    position,
    body: JSON.stringify({ type, timestamp: at.toISOString(), data: of.data }),
    status: 'pending',
    attempts: 0,
    createdAt: now,
    startedAt: now,
    attemptedAt: null,
    nextAttemptAt: now,
    answerStatus: null,
    answer: null,
    problem: null,
  }
}

/** Returns a change as the feed of the REST API shows it. */
function dataOf(entry: Entry): object {
  const { changeId, type, at, objectId, bankAccountId, version, actor, causeId } = entry
  return {
    changeId,
    type,
    at: at.toISOString(),
    objectId,
    bankAccountId,
    version: Number(version),
    actor,
    causeId,
  }
}

/**
 * Returns a delivery after an attempt. `random` (0 to 1) is the jitter: it lengthens the pause by
 * up to a tenth, so that webhooks on one server are not retried at the same time. The last attempt
 * is made after three days.
 */
export function afterAttempt(delivery: Delivery, attempt: Attempt, random: number): Delivery {
  const { at, status: answerStatus, answer, problem } = attempt
  const startedAt = delivery.startedAt ?? at
  const attempts = delivery.attempts + 1
  const tried = { ...delivery, attempts, startedAt, attemptedAt: at, answerStatus, answer, problem }
  if (problem === null) return { ...tried, status: 'delivered', nextAttemptAt: null }
  const last = startedAt.getTime() + attemptsMs
  if (at.getTime() >= last) return { ...tried, status: 'failed', nextAttemptAt: null }
  const pause = (pausesMs[attempts - 1] ?? pauseMsMax) * (1 + jitterMax * random)
  const wait = Math.max(pause, pauseAsked(attempt))
  return { ...tried, nextAttemptAt: new Date(Math.min(at.getTime() + wait, last)) }
}

function pauseAsked({ retryAfterMs }: Attempt): number {
  return Math.min(retryAfterMs ?? 0, retryAfterMsMax)
}

/** Returns a delivery that is due now, without its former attempts. */
export function resent(delivery: Delivery, now: Date): Delivery {
  return { ...delivery, status: 'pending', attempts: 0, startedAt: now, nextAttemptAt: now }
}

/**
 * The failures of a webhook: the number of consecutive rounds without a success, the instant of the
 * first one, and the end of the pause after the last one. A round sends the deliveries that are
 * due.
 */
export interface Failing {
  failures: number
  failingSince: Date | null
  restUntil: Date | null
}

/** State of a webhook whose last round had a success. */
const well: Failing = { failures: 0, failingSince: null, restUntil: null }

/**
 * Returns the state of a webhook after a round. Exponential backoff: a round without a success is
 * followed by a pause of 5 s, doubled by each further one up to five minutes; longer if an answer
 * asks for it.
 */
export function failingAfter(before: Failing, attempts: readonly Attempt[], now: Date): Failing {
  if (attempts.some(({ problem }) => problem === null)) return well
  if (attempts.length === 0) return before
  const failures = before.failures + 1
  const asked = Math.max(...attempts.map(pauseAsked))
  const restMs = Math.max(Math.min(5_000 * 2 ** (failures - 1), restMsMax), asked)
  return {
    failures,
    failingSince: before.failingSince ?? now,
    restUntil: new Date(now.getTime() + restMs),
  }
}

/**
 * Returns the time in ms for which this server was down although an attempt was due. It does not
 * count towards the three days of attempts, so that an outage of this server does not shorten them.
 * Returns 0 for up to an hour.
 */
export function missedMs(
  { dueAt, restUntil }: { dueAt: Date | null; restUntil: Date | null },
  now: Date,
): number {
  if (dueAt === null) return 0
  const missed = now.getTime() - Math.max(dueAt.getTime(), restUntil?.getTime() ?? 0)
  return missed > hourMs ? missed : 0
}

/** Returns the reason to switch a webhook off after a round, null if there is none. */
export function reasonToSwitchOff(
  { failingSince }: Failing,
  attempts: readonly Attempt[],
  now: Date,
): 'gone' | 'failing' | null {
  if (attempts.some(({ status }) => status === 410)) return 'gone'
  if (failingSince === null) return null
  return now.getTime() - failingSince.getTime() >= attemptsMs ? 'failing' : null
}
