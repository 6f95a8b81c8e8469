import { EventEmitter, on } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '@coffer/kit/events/broker'
import { isTransient } from '@coffer/kit/rpc/errors'
import { startChild, traceHeader } from '@coffer/kit/telemetry/trace'
import type { WebSocket } from 'ws'
import { codedKey, codedValue } from '../http/answers/coded-text.ts'

/** Interval of reads of the stored status, and timeout of the socket, in ms. */
export interface ProgressTimes {
  pollMs: number
  limitMs: number
  /** Time without an event after which a stream sends a comment. */
  silentMs?: number
}

interface Progress {
  socket: WebSocket
  /** Null while NATS is away: progress is then read from the stored state only. */
  connection: Broker['connection'] | null
  /** NATS subject of progress messages: JSON with `status` and maybe more of the state. */
  subject: string
  /** Keys of the state in every frame but the first. */
  keys: readonly string[]
  /** Statuses after whose frame the socket closes. */
  finalStatuses: readonly string[]
  /** Status of the frame at the time limit; null closes the socket without a frame. */
  statusAtLimit: string | null
  times: ProgressTimes
  /** Returns whether a message is shown; without it, every message is. */
  accepts?: (message: State) => boolean
  /**
   * Reads the stored state; null shows nothing. Throws if it is deleted or the caller's credential
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
 * state is sent whole; other frames have `keys` of each message and of each stored state. The
 * subscription starts before the first read, so no message is missed in between.
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

/** Resolves when NATS has the subscriptions of a connection, at the latest after half a second. */
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

/** Returns the code of a text: progress messages have texts alone. */
function codeOf(state: State, key: string, keys: readonly string[]) {
  const text = state[keys.find((name) => codedKey(name) === key) ?? '']
  return typeof text === 'string' ? codedValue(text) : state[key]
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame))
}
