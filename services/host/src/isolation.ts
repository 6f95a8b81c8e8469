import type { Broker } from '@coffer/kit/events/broker'
import { callerSkewSeconds } from '@coffer/kit/rpc/caller'
import { newId } from '@coffer/kit/values/id'
import type { Subscription } from '@nats-io/transport-node'
import { z } from 'zod'

/** Interval in ms of the signs of life, and of the look at what has answered. */
const tickMsDefault = 500

/** Intervals without an answer after which all are asked, and after which it is cut off. */
const ticksUntilAsked = 2
const ticksMax = 5

/** Age in ms up to which a sign of life is fresh. */
const freshMs = 5_000

/** Difference in ms up to which two clocks are the same: tokens of one are good for the other. */
const skewMsMax = 1000 * callerSkewSeconds

export interface IsolationOptions {
  broker: Pick<Broker, 'connection' | 'isConnected'>
  /** NATS subject of the signs of life of this process and of its replicas. */
  subject: string
  clock: () => Date
  /** Time of the last answer of a database or a service, by `performance.now`. */
  answeredAt: () => number
  /** Asks all databases and services whether they answer. */
  ask: () => void
  /** Whether this process is ready: its replicas count on it only then. */
  isReady: () => Promise<boolean>
  /** Interval of the signs of life in tests. */
  tickMs?: number
}

/** Tells an outage of this process alone from one that its replicas share. */
export interface Isolation extends Disposable {
  /**
   * Whether nothing has answered for 2.5 s (NATS, databases, services), while a replica that was
   * ready gave a sign of life in the last 5 s before.
   */
  isCutOff: () => boolean
  /** Whether most replicas with a fresh sign of life have the clock of this process (30 s). */
  isClockShared: () => boolean
}

/** The sign of life of a process: its clock, in ms since the epoch, and whether it is ready. */
const Sign = z.object({ id: z.string(), at: z.number(), isReady: z.boolean() })

/**
 * Exchanges signs of life with the replicas of this process over NATS, twice a second. Own signs
 * return, so that a silent NATS is noticed without its pings (docs/operations.md#cut-off).
 */
export function watchIsolation(options: IsolationOptions): Isolation {
  const { broker, subject, clock, answeredAt, ask, isReady } = options
  const { tickMs = tickMsDefault } = options
  const id = newId('prc')
  const replicas = new Map<string, { heardAt: number; skewMs: number }>()
  let subscription: Subscription | null = null
  let silentTicks = 0
  let lastAt = performance.now()
  let readyAt = Number.NEGATIVE_INFINITY
  const note = (at: number) => {
    if (at <= lastAt) return
    lastAt = at
    silentTicks = 0
  }
  const hear = (bytes: Uint8Array) => {
    const heardAt = performance.now()
    note(heardAt)
    const sign = signOf(bytes)
    if (sign === null || sign.id === id) return
    replicas.set(sign.id, { heardAt, skewMs: clock().getTime() - sign.at })
    if (sign.isReady) readyAt = heardAt
  }
  const signal = async () => {
    if (!broker.isConnected()) return
    if (subscription === null || subscription.isClosed()) {
      const callback = (_error: unknown, { data }: { data: Uint8Array }) => hear(data)
      subscription = broker.connection.subscribe(subject, { callback })
    }
    const sign = { id, at: clock().getTime(), isReady: await isReady() }
    broker.connection.publish(subject, JSON.stringify(sign))
  }
  const timer = setInterval(() => {
    silentTicks += 1
    note(answeredAt())
    if (silentTicks > ticksUntilAsked) ask()
    // Its error is that of a connection that is closed just now.
    signal().catch(() => undefined)
  }, tickMs)
  timer.unref()
  return {
    isCutOff: () => {
      note(answeredAt())
      return silentTicks > ticksMax && readyAt > lastAt - freshMs
    },
    isClockShared: () => {
      for (const [one, { heardAt }] of replicas) {
        if (performance.now() - heardAt > freshMs) replicas.delete(one)
      }
      const skews = [...replicas.values()].map(({ skewMs }) => Math.abs(skewMs))
      return skews.filter((skewMs) => skewMs <= skewMsMax).length > skews.length / 2
    },
    [Symbol.dispose]: () => {
      clearInterval(timer)
      subscription?.unsubscribe()
    },
  }
}

/** Returns a sign of life; null for bytes that are none. */
function signOf(bytes: Uint8Array): z.infer<typeof Sign> | null {
  try {
    return Sign.parse(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    return null
  }
}
