import type { Broker } from '@coffer/kit/events/broker'
import { type ProgressTimes, subscribed } from './progress.ts'

interface FeedWakes {
  /** Null while NATS is away: the feed is then read at the interval only. */
  connection: Broker['connection'] | null
  /** NATS subject of the messages that say that the feed has new entries. */
  subject: string
  times: ProgressTimes
  /** End the wakes when they abort: the client closes, or the process stops. */
  signals: readonly (AbortSignal | undefined)[]
}

/**
 * Yields whenever a reader should read its feed again: at once, after each message and at each
 * interval, until the time limit or the first signal. The subscription starts before the first
 * one, so no message is missed in between; a lost message only delays. Several messages during a
 * read are one wake.
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
