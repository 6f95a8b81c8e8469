import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '@coffer/kit/errors'
import type { Broker } from '@coffer/kit/nats'
import type { WebSocket } from 'ws'

/** How often the stored status is read, and when the socket gives up. */
export interface ProgressTimes {
  pollMs: number
  limitMs: number
}

interface Progress {
  socket: WebSocket
  connection: Broker['connection']
  /** Where statuses are announced, as `{"status": ...}`. */
  subject: string
  times: ProgressTimes
  /** The stored state. Throws when it is gone, or the caller's credential has ended. */
  read: () => Promise<{ status: string; [key: string]: unknown }>
}

const finalStatuses = ['complete', 'failed', 'timed out']
const flushMs = 500

/**
 * Shows a job's progress (spec/identity.md 8.3): the whole state, then statuses as they are
 * announced and as they are stored, until a final one. Listening starts before the state is read,
 * so that no status falls between the two.
 */
export async function showProgress(progress: Progress): Promise<void> {
  const { socket, connection, subject, times, read } = progress
  const events = new EventEmitter()
  const statuses = on(events, 'status', { close: ['end'] })
  const announce = (status: unknown) => {
    if (typeof status === 'string') events.emit('status', status)
  }
  const subscription = connection.subscribe(subject, {
    callback: (_error, message) => announce(statusOf(message.string())),
  })
  const poll = setInterval(() => {
    read().then(
      ({ status }) => announce(status),
      (error) => isTransient(error) || events.emit('end'),
    )
  }, times.pollMs)
  const limit = setTimeout(() => announce('timed out'), times.limitMs)
  socket.once('close', () => events.emit('end'))
  try {
    await Promise.race([connection.flush(), sleep(flushMs)])
    const state = await read()
    send(socket, state)
    if (finalStatuses.includes(state.status)) return send(socket, { status: state.status })
    for await (const [status] of statuses) {
      send(socket, { status })
      if (finalStatuses.includes(status)) return
    }
  } finally {
    clearInterval(poll)
    clearTimeout(limit)
    subscription.unsubscribe()
    socket.close(1000)
  }
}

function statusOf(text: string): unknown {
  try {
    return JSON.parse(text).status
  } catch {
    return undefined
  }
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
}
