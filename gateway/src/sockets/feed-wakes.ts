import type { Broker } from '@coffer/kit/events/broker'
import { type ProgressTimes, subscribed } from './progress.ts'

interface FeedWakes {
  /** Null while NATS is unavailable: the feed is then only polled. */
  connection: Broker['connection'] | null
  /** NATS subject of messages that announce new entries of the feed. */
  subject: string
  times: ProgressTimes
  /** Signals that end the generator: the client closes, or the process stops. */
  signals: readonly (AbortSignal | undefined)[]
}

/**
 * Yields whenever a reader should read its feed: at once, after each message and at each interval,
 * until the time limit or the first signal. It subscribes before the first read, so no message
 * between them is lost; a lost message only delays. Several messages during a read yield once.
 */
export async function* wakesOf(options: FeedWakes): AsyncGenerator<void> {
  const { connection, subject, times, signals } = options
  let next = Promise.withResolvers<void>()
  let isOver = signals.some((signal) => signal?.aborted)
  const wake = () => next.resolve()
  const end = () => {
    isOver = true
    wake()
  }
  const subscription = connection?.subscribe(subject, { callback: wake })
  const poll = setInterval(wake, times.pollMs)
  const limit = setTimeout(end, times.limitMs)
  for (const signal of signals) signal?.addEventListener('abort', end, { once: true })
  try {
    await subscribed(connection)
    wake()
    for (;;) {
      await next.promise
      next = Promise.withResolvers()
      if (isOver) return
      yield
    }
  } finally {
    clearInterval(poll)
    clearTimeout(limit)
    for (const signal of signals) signal?.removeEventListener('abort', end)
    subscription?.unsubscribe()
  }
}
