import { readFile } from 'node:fs/promises'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { Log } from '@coffer/kit/service/log'
import { DefaultLogger, type LogLevel, NativeConnection, Runtime } from '@temporalio/worker'
import { LRUCache } from 'lru-cache'
import { filesOf, nativeOptions, renewMsDefault, type TemporalServer } from './temporal-server.ts'

const connectMs = 5_000

/** The connection that all workers of a process share. */
export interface NativeConnections extends AsyncDisposable {
  /** Returns the connection, opened on first use. Throws unavailable after 5 s. */
  connect: () => Promise<NativeConnection>
  /** Calls the listener with each connection that replaces the former one, until disposed. */
  onRenewal: (listener: (connection: NativeConnection) => void) => Disposable
}

/**
 * Shares a connection to Temporal between workers. Replaces it when a certificate file has changed,
 * because Temporal's native core would reconnect with the former content.
 */
export function shareConnection(server: TemporalServer, log: Log): NativeConnections {
  const listeners = new Set<(connection: NativeConnection) => void>()
  let native: Promise<NativeConnection> | undefined
  let content: string | undefined
  const open = async () => {
    content = await contentOf(server)
    return connectWorkers(server, log)
  }
  const connect = () => {
    native ??= open().catch((error) => {
      native = undefined
      throw error
    })
    return native
  }
  const renew = async (): Promise<void> => {
    const former = await native
    if (former === undefined || content === (await contentOf(server))) return
    const renewed = await open()
    native = Promise.resolve(renewed)
    for (const listener of listeners) listener(renewed)
    await former.close()
    log.info('connected to Temporal with renewed certificates')
  }
  let renewing = Promise.resolve()
  const isWatched = filesOf(server).length > 0
  const timer = isWatched ? setInterval(check, server.renewMs ?? renewMsDefault) : undefined
  timer?.unref()
  function check(): void {
    renewing = renewing.then(renew).catch((error) => {
      log.warn({ err: error }, 'renewed certificates for Temporal cannot be used yet')
    })
  }
  return {
    connect,
    onRenewal: (listener) => {
      listeners.add(listener)
      return { [Symbol.dispose]: () => listeners.delete(listener) }
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await renewing
      const opened = await native?.catch(() => undefined)
      await opened?.close()
    },
  }
}

/** Returns the content of all certificate files, to detect changes. */
async function contentOf(server: TemporalServer): Promise<string> {
  return (await Promise.all(filesOf(server).map((file) => readFile(file, 'utf8')))).join('\n')
}

/** Opens a connection. Throws unavailable after 5 s, because Temporal's core has no timeout. */
async function connectWorkers(server: TemporalServer, log: Log): Promise<NativeConnection> {
  installRuntime(log)
  const { address } = server
  const connecting = NativeConnection.connect({ address, ...(await nativeOptions(server)) })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(unavailable('Temporal does not answer'))
    connecting.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }, connectMs)
  return Promise.race([connecting, late.promise]).finally(() => clearTimeout(timer))
}

/**
 * Time in ms within which a repeated warning is logged at debug, because during an outage each
 * poller of Temporal's native core warns several times a minute.
 */
const repeatedMs = 60_000

/**
 * Configures Temporal's library, once per process, before the first worker connects. Forwards its
 * log lines to `log`, and leaves stop signals to the host, which drains the workers.
 */
export function installRuntime(log: Log): void {
  const logged = new LRUCache<string, true>({ max: 1_000, ttl: repeatedMs })
  const logger = new DefaultLogger('TRACE', ({ level, message, meta = {} }) => {
    const source = String(meta.target ?? '')
    const isRepeated = source !== '' && logged.has(source)
    if (source !== '' && !isRepeated) logged.set(source, true)
    // The worker's messages are routine (starting, idle, no workflows), so they are logged at
    // debug.
    const isQuiet = isRepeated || meta.sdkComponent === 'worker'
    const isDebug = isQuiet && (level === 'INFO' || level === 'WARN')
    log[isDebug ? 'debug' : (level.toLowerCase() as Lowercase<LogLevel>)]({ ...meta }, message)
  })
  try {
    Runtime.install({
      logger,
      shutdownSignals: [],
      // Without forwarding, the native core writes coloured text to the console.
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    })
  } catch {
    // Already installed: a process has only one runtime.
  }
}
