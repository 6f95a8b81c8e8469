import type { Broker } from '@coffer/kit/events/broker'
import { isTransient } from '@coffer/kit/rpc/errors'
import { type ProgressTimes, type State, stateOf, subscribed } from './progress.ts'

interface StatusWait {
  /** Null while NATS is unavailable: the stored state is then only polled. */
  connection: Broker['connection'] | null
  /** NATS subject of progress messages: JSON with `status`. */
  subject: string
  /** Statuses to wait for. */
  statuses: readonly string[]
  times: ProgressTimes
  /** Signals that end the wait: the client closes, or the process stops. */
  signals: readonly (AbortSignal | undefined)[]
  /**
   * Reads the stored state; null if there is none yet. Throws if the object is deleted or the
   * credential has ended.
   */
  read: () => Promise<State | null>
}

/**
 * Long poll: resolves to true once an object has one of the statuses, to false at the time limit or
 * the first signal. It subscribes before the first read, so that no message between them is lost.
 * Rejects if a read throws; after the first read, transient errors are ignored.
 */
export async function waitForStatus(wait: StatusWait): Promise<boolean> {
  const { connection, subject, statuses, times, signals, read } = wait
  const { promise: ended, resolve, reject } = Promise.withResolvers<boolean>()
  const check = (state: State | null) => {
    if (state && statuses.includes(state.status)) resolve(true)
  }
  const end = () => resolve(false)
  const subscription = connection?.subscribe(subject, {
    callback: (_error, message) => check(stateOf(message.string())),
  })
  const limit = setTimeout(end, times.limitMs)
  for (const signal of signals) signal?.addEventListener('abort', end, { once: true })
  let poll: NodeJS.Timeout | undefined
  try {
    if (signals.some((signal) => signal?.aborted)) end()
    await subscribed(connection)
    read().then(check, reject)
    poll = setInterval(() => {
      read().then(check, (error) => isTransient(error) || reject(error))
    }, times.pollMs)
    return await ended
  } finally {
    clearInterval(poll)
    clearTimeout(limit)
    for (const signal of signals) signal?.removeEventListener('abort', end)
    subscription?.unsubscribe()
  }
}
