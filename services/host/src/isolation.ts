import type { Broker } from '@coffer/kit/events/broker'
import { callerSkewSeconds } from '@coffer/kit/rpc/caller'
import { newId } from '@coffer/kit/values/id'
import type { Subscription } from '@nats-io/transport-node'
import { z } from 'zod'

/** Interval in ms of the heartbeats, and of the check whether anything has answered. */
const tickMsDefault = 500

/**
 * Numbers of intervals without any answer: above `ticksUntilAsked` all databases and services are
 * probed, above `ticksMax` the process counts as cut off.
 */
const ticksUntilAsked = 2
const ticksMax = 5

/** Age in ms up to which a heartbeat counts as fresh. */
const freshMs = 5_000

/** Maximum difference in ms of two clocks at which each accepts the caller tokens of the other. */
const skewMsMax = 1000 * callerSkewSeconds

export interface IsolationOptions {
  broker: Pick<Broker, 'connection' | 'isConnected'>
  /** NATS subject of the heartbeats of this process and its replicas. */
  subject: string
  clock: () => Date
  /** Time of the last answer of a database or a service, by `performance.now`. */
  answeredAt: () => number
  /** Sends a health check to all databases and services. */
  ask: () => void
  /** Whether this process is ready. Its heartbeat counts for its replicas only then. */
  isReady: () => Promise<boolean>
  /** Interval in ms of the heartbeats; only tests set it. */
  tickMs?: number
}

/** Distinguishes an outage of this process alone from one that all replicas share. */
export interface Isolation extends Disposable {
  /**
   * Whether NATS, databases and services have not answered for 2.5 s, although a ready replica has
   * sent a heartbeat in the 5 s before their last answer.
   */
  isCutOff: () => boolean
  /**
   * Whether the clocks of most replicas with a fresh heartbeat differ by at most 30 s from the
   * clock of this process; false without such a replica.
   */
  isClockShared: () => boolean
}

/** A heartbeat: clock of the process in ms since the epoch, and whether it is ready. */
const Sign = z.object({ id: z.string(), at: z.number(), isReady: z.boolean() })

/**
 * Exchanges heartbeats with the replicas of this process over NATS, twice a second. The process
 * receives its own heartbeats too: their absence shows an unresponsive NATS earlier than NATS's
 * pings do (docs/operations.md#cut-off).
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
    // Ignores errors of a connection that is being closed.
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

/** Parses a heartbeat; null if it is malformed. */
function signOf(bytes: Uint8Array): z.infer<typeof Sign> | null {
  try {
    return Sign.parse(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    return null
  }
}
