import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '@coffer/kit/events/nats'
import { isTransient } from '@coffer/kit/rpc/errors'
import type { WebSocket } from 'ws'

/** How often the stored status is read, and when the socket gives up. */
export interface ProgressTimes {
  pollMs: number
  limitMs: number
}

interface Progress {
  socket: WebSocket
  /** Null while NATS is away: then the stored state is all there is to show. */
  connection: Broker['connection'] | null
  /** Where news are announced, as `{"status": ...}` and maybe more of the state. */
  subject: string
  /** What of the state the frames after the first say. */
  keys: readonly string[]
  times: ProgressTimes
  /** The stored state. Throws when it is gone, or the caller's credential has ended. */
  read: () => Promise<State>
}

interface State {
  status: string
  [key: string]: unknown
}

const finalStatuses = ['complete', 'failed', 'timed out']
const flushMs = 500

/**
 * Shows a job's progress (spec/identity.md 8.3): the whole state, then what of it changes, as it
 * is announced and as it is stored, until a final status. Listening starts before the state is
 * read, so that nothing falls between the two.
 */
export async function showProgress(progress: Progress): Promise<void> {
  const { socket, connection, subject, keys, times, read } = progress
  const events = new EventEmitter()
  const news = on(events, 'news', { close: ['end'] })
  const announce = (state: State | null) => {
    if (state) events.emit('news', frameOf(state, keys))
  }
  const subscription = connection?.subscribe(subject, {
    callback: (_error, message) => announce(stateOf(message.string())),
  })
  const poll = setInterval(() => {
    read().then(announce, (error) => isTransient(error) || events.emit('end'))
  }, times.pollMs)
  const limit = setTimeout(() => announce({ status: 'timed out' }), times.limitMs)
  socket.once('close', () => events.emit('end'))
  try {
    await Promise.race([connection?.flush(), sleep(flushMs)])
    const state = await read()
    send(socket, state)
    if (finalStatuses.includes(state.status)) return send(socket, frameOf(state, keys))
    for await (const [frame] of news) {
      send(socket, frame)
      if (finalStatuses.includes(frame.status)) return
    }
  } finally {
    clearInterval(poll)
    clearTimeout(limit)
    subscription?.unsubscribe()
    socket.close(1000)
  }
}

/** The state that a message tells of; null where it tells of none. */
function stateOf(text: string): State | null {
  try {
    const state = JSON.parse(text)
    return typeof state?.status === 'string' ? state : null
  } catch {
    return null
  }
}

function frameOf(state: State, keys: readonly string[]): object {
  return Object.fromEntries(keys.flatMap((key) => (key in state ? [[key, state[key]]] : [])))
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
}
