import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '@coffer/kit/events/broker'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { Log } from '@coffer/kit/service/log'
import { dayMs } from '@coffer/kit/values/time'
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamAPI,
  type StreamInfo,
} from '@nats-io/jetstream'
import { connect, errors, type NatsConnection, nanos } from '@nats-io/transport-node'
import { natsVersionFault } from '../server-versions.ts'
import { type NatsServers, natsOptions } from './nats-servers.ts'
import { inboxPrefixOf, operatorUser } from './permissions.ts'
import { streamNameOf, subjectSpace } from './subjects.ts'

const drainMsMax = 3_000

const retryMs = 1_000

// Interval in ms of checks that the stream exists, since NATS may lose its storage.
const checkMs = 2_000

const duplicateWindowMsDefault = 2 * 60_000
const bytesMaxDefault = 2 ** 30
const publishMsDefault = 5_000
const connectMsDefault = 5_000

// Names of errors by which NATS refuses a request; nats.js does not export the second class.
const refusals = new Set(['JetStreamApiError', 'JetStreamNotEnabled'])

export interface BrokerOptions extends NatsServers {
  prefix: string
  serviceNames: string[]
  /** Service whose NATS user signs in, and which has its own inbox; by default the operator. */
  user?: string
  /** Whether the process publishes changes, and so creates the stream; true by default. */
  hasStream?: boolean
  /** Replicas of the stream in a cluster; 1 by default. A higher existing number is kept. */
  replicas?: number
  /**
   * Maximum size of the stream in bytes, 1 GiB by default; a full stream drops its oldest messages.
   */
  bytesMax?: number
  /**
   * Duplicate window: time in ms in which NATS drops a repeated message ID; two minutes by default.
   */
  duplicateWindowMs?: number
  /** Timeout in ms of NATS's acknowledgement of a message; five seconds by default. */
  publishMs?: number
  /** Timeout in ms of connecting; five seconds by default. */
  connectMs?: number
  log: Log
}

type Opened = Awaited<ReturnType<typeof open>>

/** Why NATS refuses the stream; null if it does not. */
type Refusal = { text: string | null }

/**
 * Connects to NATS and creates the JetStream stream, which keeps the changes of all services for
 * seven days (`coffer replay` publishes older changes again). Resolves even if NATS is down:
 * connecting is retried in the background, and changes stay in the outbox meanwhile.
 */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const { prefix, log } = options
  const stopping = new AbortController()
  const refusal: Refusal = { text: null }
  let opened: Opened | null = null
  const attempt = async (level: 'warn' | 'debug') => {
    try {
      opened = await open(options, refusal)
    } catch (error) {
      // A refusal is logged by `ensureStream` instead.
      if (refusal.text !== null) return
      log[level]({ err: error }, 'NATS does not answer: changes wait in the outbox')
    }
  }
  await attempt('warn')
  const wait = async (): Promise<void> => {
    while (opened === null && !stopping.signal.aborted) {
      await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      await attempt('debug')
      if (opened !== null) log.info('connected to NATS')
    }
  }
  const waiting = wait()
  const reached = (): Opened => {
    if (opened === null) throw unavailable(refusal.text ?? 'NATS does not answer')
    return opened
  }
  return {
    get connection() {
      return reached().connection
    },
    get stream() {
      return reached().stream
    },
    hasConnected: () => opened !== null,
    isConnected: () => opened?.state.isConnected ?? false,
    refusal: () => refusal.text,
    streamName: streamNameOf(prefix),
    subject: (name) => `${prefix}.${name}`,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await waiting
      if (opened !== null) await drain(opened.connection)
    },
  }
}

async function open(options: BrokerOptions, refusal: Refusal) {
  const { prefix, serviceNames, replicas = 1, log, ...more } = options
  const { duplicateWindowMs = duplicateWindowMsDefault, bytesMax = bytesMaxDefault } = more
  const { user = operatorUser, hasStream = true, publishMs = publishMsDefault } = more
  const { connectMs = connectMsDefault } = more
  const connection = await connect({
    ...natsOptions(more),
    name: 'coffer',
    inboxPrefix: inboxPrefixOf(user),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    waitOnFirstConnect: false,
    // Retries refused credentials, because their file may be renewed later than the server's.
    ignoreAuthErrorAbort: true,
    // Addresses announced by a cluster are tried without a pause, and each refusal announces them
    // again, so the first connection would never fail.
    ignoreClusterUpdates: true,
    // Saves time: by default, the client creates two errors for each publish, for stack traces
    // only.
    noAsyncTraces: true,
    timeout: connectMs,
    pingInterval: 10_000,
    maxPingOut: 2,
  })
  await using opening = new AsyncDisposableStack()
  opening.defer(() => connection.close())
  const versionFault = natsVersionFault(connection.info?.version ?? '')
  if (versionFault !== null) log.error(`NATS cannot be used: ${versionFault}`)
  const config = {
    name: streamNameOf(prefix),
    subjects: [...serviceNames.map(subjectSpace), 'dead'].map((name) => `${prefix}.${name}.>`),
    max_age: nanos(7 * dayMs),
    // Required by NATS accounts that demand a bound. A full stream drops its oldest messages.
    max_bytes: bytesMax,
    duplicate_window: nanos(duplicateWindowMs),
    num_replicas: replicas,
  }
  if (hasStream) {
    const noting = noteRefusals(refusal, log)
    await noting(() => ensureStream(connection, config))
    void keepStream(connection, config, noting)
  } else {
    await connection.flush()
  }
  opening.move()
  const stream = jetstream(connection, { timeout: publishMs })
  return { connection, stream, state: watchConnection(connection) }
}

/**
 * Returns a function that sends requests about the stream. Stores the text of a refusal, such as a
 * limit of the account, in `refusal`, and logs it once.
 */
function noteRefusals(refusal: Refusal, log: Log) {
  return async (request: () => Promise<void>): Promise<void> => {
    try {
      await request()
      refusal.text = null
    } catch (error) {
      const isRefused = error instanceof Error && refusals.has(error.name)
      const text = isRefused ? `NATS refuses the stream (${error.message})` : null
      if (text !== null && text !== refusal.text) log.error({ err: error }, text)
      refusal.text = text
      throw error
    }
  }
}

/** Tracks whether a connection is up, until it is closed. */
function watchConnection(connection: NatsConnection): { isConnected: boolean } {
  const state = { isConnected: true }
  const watch = async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') state.isConnected = false
      if (type === 'reconnect') state.isConnected = true
    }
  }
  void watch()
  return state
}

type StreamOptions = Parameters<StreamAPI['add']>[0] & { subjects: string[]; num_replicas: number }

/**
 * Creates the stream, or adds subjects and replicas and updates its other settings. Removes none,
 * because a newer release with more services, or a process with another setting, may run at the
 * same time. If NATS allows this to one service only, other services leave the stream as it is.
 */
async function ensureStream(connection: NatsConnection, config: StreamOptions): Promise<void> {
  const manager = await jetstreamManager(connection, { timeout: 5_000 })
  const found = await findStream(manager, config.name)
  if (found === null) {
    await manager.streams.add(config)
  } else {
    const subjects = [...new Set([...found.config.subjects, ...config.subjects])]
    const num_replicas = Math.max(found.config.num_replicas, config.num_replicas)
    const wanted = { ...config, subjects, num_replicas }
    if (isLike(found.config, wanted)) return
    await manager.streams.update(config.name, wanted).catch((error: Error) => {
      if (!isForbidden(error)) throw error
    })
  }
}

/** Returns whether the stream has these settings. */
function isLike(found: StreamInfo['config'], wanted: StreamOptions): boolean {
  const has = found as unknown as Record<string, unknown>
  return Object.entries(wanted).every(([name, value]) => `${has[name]}` === `${value}`)
}

/** Returns whether the permissions of the user forbid a request. */
function isForbidden({ cause }: Error): boolean {
  return cause instanceof errors.PermissionViolationError
}

function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  return nullIf(JetStreamApiCodes.StreamNotFound, manager.streams.info(name))
}

/** Returns the answer of JetStream, or null if it is an error with this code. */
export async function nullIf<Answer>(
  code: number,
  answer: Promise<Answer>,
): Promise<Answer | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === code) return null
    throw error
  }
}

/** Creates the stream again after the server has lost it, until the connection is closed. */
async function keepStream(
  connection: NatsConnection,
  config: StreamOptions,
  noting: ReturnType<typeof noteRefusals>,
): Promise<void> {
  let manager: JetStreamManager | null = null
  while (!connection.isClosed()) {
    await sleep(checkMs, undefined, { ref: false })
    try {
      const asked: JetStreamManager =
        manager ?? (await jetstreamManager(connection, { timeout: 5_000 }))
      manager = asked
      await noting(async () => {
        if ((await findStream(asked, config.name)) === null) await asked.streams.add(config)
      })
    } catch {
      // Not logged, because the relay logs that it cannot publish without the stream.
    }
  }
}

/** Flushes buffered messages, for at most `drainMsMax`, because NATS may be down. */
async function drain(connection: NatsConnection): Promise<void> {
  const drained = connection.drain().catch(() => undefined)
  await Promise.race([drained, sleep(drainMsMax, undefined, { ref: false })])
  if (!connection.isClosed()) await connection.close()
}

/** Returns the ID of the message with a sequence number; null if the stream has none. */
export async function findMessageId(
  manager: JetStreamManager,
  stream: string,
  seq: number,
): Promise<string | null> {
  const message = await manager.streams.getMessage(stream, { seq })
  return message?.header.get('Nats-Msg-Id') ?? null
}
