import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '@coffer/kit/events/broker'
import { isTransient } from '@coffer/kit/rpc/errors'
import { startChild, traceHeader } from '@coffer/kit/telemetry/trace'
import type { WebSocket } from 'ws'
import { codedKey, codedValue } from '../http/answers/coded-text.ts'

/** Polling interval of the stored status, and time limit of the socket, in ms. */
export interface ProgressTimes {
  pollMs: number
  limitMs: number
  /** Interval in ms of keep-alive comments in a silent event stream. */
  silentMs?: number
}

interface Progress {
  socket: WebSocket
  /** Null while NATS is unavailable: the stored state is then only polled. */
  connection: Broker['connection'] | null
  /**
   * NATS subject of progress messages: JSON with `status` and optional further keys of the state.
   */
  subject: string
  /** Keys of the state that the second and later frames contain. */
  keys: readonly string[]
  /** Final statuses: the socket closes after their frame. */
  finalStatuses: readonly string[]
  /** Status of the last frame at the time limit; null closes the socket without one. */
  statusAtLimit: string | null
  times: ProgressTimes
  /** Returns whether a message is sent to the client; by default, all are. */
  accepts?: (message: State) => boolean
  /**
   * Reads the stored state; null sends nothing. Throws if the object is deleted or the credential
   * has ended.
   */
  read: () => Promise<State | null>
}

/** A job's state, from a progress message or from the database. */
export interface State {
  status: string
  [key: string]: unknown
}

const flushMs = 500

/**
 * Sends a job's progress to a socket until a final status (docs/api.md#sockets). The first stored
 * state is sent whole; other frames have the `keys` of a message or of a stored state. It
 * subscribes before the first read, so that no message between them is lost.
 */
export async function showProgress(progress: Progress): Promise<void> {
  const { socket, connection, subject, keys, finalStatuses, statusAtLimit, times, read } = progress
  const accepts = progress.accepts ?? (() => true)
  const events = new EventEmitter()
  const news = on(events, 'news', { close: ['end'] })
  const announce = (state: State | null) => {
    if (state) events.emit('news', frameOf(state, keys))
  }
  const subscription = connection?.subscribe(subject, {
    callback: (_error, message) => {
      const state = stateOf(message.string())
      if (!state || !accepts(state)) return
      const parent = message.headers?.get(traceHeader) || null
      startChild('socket progress', { kind: 'consumer', parent })?.end()
      announce(state)
    },
  })
  let poll: NodeJS.Timeout | undefined
  const limit = setTimeout(() => {
    if (statusAtLimit === null) events.emit('end')
    else announce({ status: statusAtLimit })
  }, times.limitMs)
  socket.once('close', () => events.emit('end'))
  try {
    await subscribed(connection)
    const state = await read()
    if (state) send(socket, state)
    if (state && finalStatuses.includes(state.status)) return send(socket, frameOf(state, keys))
    poll = setInterval(() => {
      read().then(announce, (error) => isTransient(error) || events.emit('end'))
    }, times.pollMs)
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

/**
 * Resolves when NATS has received the subscriptions of a connection, at the latest after 500 ms.
 */
export async function subscribed(connection: Broker['connection'] | null): Promise<void> {
  await Promise.race([connection?.flush(), sleep(flushMs)])
}

/** Parses a progress message; null if it has no status. */
export function stateOf(text: string): State | null {
  try {
    const state = JSON.parse(text)
    return typeof state?.status === 'string' ? state : null
  } catch {
    return null
  }
}

function frameOf(state: State, keys: readonly string[]): object {
  return Object.fromEntries(keys.map((key) => [key, state[key] ?? codeOf(state, key, keys)]))
}

/**
 * Returns the value of a `coded…` key, such as `codedError`, from the text under `error`: progress
 * messages contain the texts only.
 */
function codeOf(state: State, key: string, keys: readonly string[]) {
  const text = state[keys.find((name) => codedKey(name) === key) ?? '']
  return typeof text === 'string' ? codedValue(text) : state[key]
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
}
