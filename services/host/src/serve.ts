import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer as createSecureHttp2Server,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
} from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { drainOf } from '@coffer/kit/service/drain'
import type { Log } from '@coffer/kit/service/log'
import { Health } from '@coffer/proto/grpc/health'
import { ServerReflection } from '@coffer/proto/grpc/reflection'
import { type ConnectRouter, createConnectRouter } from '@connectrpc/connect'
import { compressionBrotli, compressionGzip, connectNodeAdapter } from '@connectrpc/connect-node'
import { healthRoutes } from './health.ts'
import { reflectionRoutes } from './reflection.ts'
import type { MeshTls } from './rpc/mesh-tls.ts'
import { watchRefusedPeers } from './rpc/refused-peers.ts'
import { awayHeader } from './rpc/replicas.ts'
import { metricsContentType, renderMetrics } from './telemetry/meter.ts'
import './telemetry/process-metrics.ts'

type AnyServer = Server | Http2Server | Http2SecureServer

/** Mutual TLS: peers need a certificate of the same CA. */
const mutual = { requestCert: true, rejectUnauthorized: true }

/** Maximum size in bytes of an RPC message: above the gateway's limit of 6 MiB for an upload. */
const messageSizeMax = 8 * 1024 * 1024

/**
 * Time in ms that idle connections stay open: longer than in clients (30 s), so that the client
 * closes first, and no request is sent on a closed connection.
 */
const keepAliveMs = 65_000

/**
 * Time in ms between an answer and the close of its connection, if the answer was sent before the
 * request had arrived completely.
 */
export const unreadMs = 500

export interface ServeOptions {
  host: string
  /** Port of Connect over HTTP/1.1 and health checks; 0 chooses a free port. */
  rpcPort: number
  /** Port of gRPC (HTTP/2), with health and reflection; 0 chooses a free port. */
  grpcPort: number
  /**
   * Port of metrics and health checks, without TLS; 0 chooses a free port, null opens none.
   * until 0.4: without TLS, or without this port, the metrics are on the RPC port too.
   */
  metricsPort?: number | null
  /** Certificates of both RPC ports, which accept only peers of the same CA; null without TLS. */
  tls?: MeshTls | null
  /** Logs refused peers; by default they are counted only. */
  log?: Log | null
  /** RPC routes with their interceptors. */
  routes: (router: ConnectRouter) => void
  /** Returns why the process is not ready; an empty list when it is ready. */
  blockers: () => Promise<string[]>
  /** Returns the current outages, one text for each; `/readyz` shows them after the `blockers`. */
  notices?: () => string[]
  /** Whether a database of a hosted service is away, so that callers use other replicas. */
  isDatabaseAway?: () => boolean
  /** Returns the failed parts of the process that require a restart; none by default. */
  faults?: () => string[]
  /** Aborts on a stop signal: the process reports not ready, and responses close connections. */
  draining?: AbortSignal
  /** Maximum time in ms for which disposing waits for running calls, before it aborts them. */
  drainMsMax?: number
}

/** The listening RPC and gRPC server. Disposing refuses connections and waits for running calls. */
export interface Servers extends AsyncDisposable {
  rpcPort: number
  grpcPort: number
  metricsPort: number | null
}

/**
 * Opens the RPC port, the gRPC port and the port of metrics. Health checks and reflection need no
 * caller token. Rejects when a port is in use.
 */
export async function serve(options: ServeOptions): Promise<Servers> {
  const ending = new AbortController()
  const draining = AbortSignal.any([ending.signal, options.draining ?? ending.signal])
  const blockers = async () => {
    if (draining.aborted) return ['stopping']
    const isListening = rpc.server.listening && grpc.server.listening
    return [...(isListening ? [] : ['a port is not open']), ...(await options.blockers())]
  }
  const isReady = async () => (await blockers()).length === 0
  const { host, drainMsMax: msMax = 15_000 } = options
  const router = createRouter(options)
  const rpc = createRpcServer(options, { router, blockers, draining })
  const grpc = createGrpcServer(options, { router, isReady, ending: ending.signal })
  const metrics = createMetricsServer(options, { blockers, draining })
  const all = [rpc, grpc, metrics]
  const end = () => Promise.all(all.map((one) => one.end(msMax)))
  await using opening = new AsyncDisposableStack()
  opening.defer(async () => void (await end()))
  const { metricsPort: wanted = null } = options
  const rpcPort = await listen(rpc.server, options.rpcPort, host)
  const grpcPort = await listen(grpc.server, options.grpcPort, host)
  const metricsPort = wanted === null ? null : await listen(metrics.server, wanted, host)
  opening.move()
  return {
    rpcPort,
    grpcPort,
    metricsPort,
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await end()
    },
  }
}

/** Creates the handlers of all RPCs; both ports share them, because they take 2 MiB. */
function createRouter({ routes }: ServeOptions): ConnectRouter {
  const acceptCompression = [compressionGzip, compressionBrotli]
  const router = createConnectRouter({ acceptCompression, readMaxBytes: messageSizeMax })
  routes(router)
  return router
}

/** Renews the certificates of a server and counts the peers that it refuses. */
function secure(server: TlsServer, { tls, log }: { tls: MeshTls; log: Log | null }): void {
  tls.onRenewal(() => server.setSecureContext(tls.context()))
  watchRefusedPeers(server, log)
}

interface DrainingServer<S> {
  server: S
  /** Stops listening; resolves when all running calls have ended. Aborts them after `msMax`. */
  end: (msMax: number) => Promise<void>
}

interface Routed {
  router: ConnectRouter
}

interface ServerStates {
  blockers: () => Promise<string[]>
  draining: AbortSignal
}

function createRpcServer(
  { tls = null, log = null, ...options }: ServeOptions,
  { router, blockers, draining }: ServerStates & Routed,
): DrainingServer<Server> {
  const handle = connectNodeAdapter({
    routes: ({ handlers }) => handlers.push(...router.handlers),
    fallback: (request, response) => {
      const states = { ...options, blockers, hasMetrics: tls === null }
      void answerOperations(request as IncomingMessage, response as ServerResponse, states)
    },
  })
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => endUnread(request))
    handle(request, response)
  }
  const lasting = { keepAliveTimeout: keepAliveMs }
  const server = tls
    ? createTlsServer({ ...lasting, ...tls.context(), ...mutual }, answer)
    : createServer(lasting, answer)
  if (tls) secure(server as TlsServer & Server, { tls, log })
  const drain = drainOf(server)
  draining.addEventListener('abort', drain.begin, { once: true })
  return { server, end: (msMax) => drain.end({ close: () => closeServer(server), msMax }) }
}

/** Creates the server of metrics and probes, which need no certificate. */
function createMetricsServer(
  options: ServeOptions,
  { blockers, draining }: ServerStates,
): DrainingServer<Server> {
  const states = { ...options, blockers, hasMetrics: true }
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    void answerOperations(request, response, states)
  })
  const drain = drainOf(server)
  draining.addEventListener('abort', drain.begin, { once: true })
  return { server, end: (msMax) => drain.end({ close: () => closeServer(server), msMax }) }
}

function createGrpcServer(
  { tls = null, log = null }: ServeOptions,
  { router, isReady, ending }: { isReady: () => Promise<boolean>; ending: AbortSignal } & Routed,
): DrainingServer<Http2Server | Http2SecureServer> {
  const offered = [...new Set(router.handlers.map(({ service }) => service))]
  const services = offered.map(({ typeName }) => typeName)
  const answer = connectNodeAdapter({
    routes: (ofPort) => {
      ofPort.handlers.push(...router.handlers)
      healthRoutes(ofPort, { services, isReady, ending })
      reflectionRoutes(ofPort, [...offered, Health, ServerReflection])
    },
    readMaxBytes: messageSizeMax,
  })
  const server = tls
    ? createSecureHttp2Server({ ...tls.context(), ...mutual }, answer)
    : createHttp2Server(answer)
  if (tls) secure(server as Http2SecureServer, { tls, log })
  const sessions = new Set<Http2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  return {
    server,
    end: async (msMax) => {
      for (const session of sessions) session.close()
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy()
      }, msMax)
      await closeServer(server)
      clearTimeout(cut)
    },
  }
}

/**
 * Closes the connection of a request that was answered before its end, unless the request ends
 * within `unreadMs`. Connect's client stops sending, but does not end the stream.
 */
function endUnread(request: IncomingMessage): void {
  if (request.complete) return
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, unreadMs)
  request.once('close', () => clearTimeout(timer))
}

async function listen(server: AnyServer, port: number, host: string): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function closeServer(server: AnyServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

interface Operations
  extends Pick<ServeOptions, 'blockers' | 'notices' | 'faults' | 'isDatabaseAway'> {
  hasMetrics: boolean
}

async function answerOperations(
  request: IncomingMessage,
  response: ServerResponse,
  { hasMetrics, ...options }: Operations,
): Promise<void> {
  try {
    if (request.url === '/healthz') {
      const dead = options.faults?.() ?? []
      const lines = [dead.length === 0 ? 'alive' : 'dead', ...dead, '']
      response.writeHead(dead.length === 0 ? 200 : 503).end(lines.join('\n'))
    } else if (request.url === '/readyz') {
      const reasons = await options.blockers()
      const state = reasons.length === 0 ? 'ready' : 'not ready'
      const notices = (options.notices?.() ?? []).filter((one) => !reasons.includes(one))
      const headers = options.isDatabaseAway?.() ? { [awayHeader]: 'postgres' } : {}
      response.writeHead(reasons.length === 0 ? 200 : 503, headers)
      response.end([state, ...reasons, ...notices, ''].join('\n'))
    } else if (request.url === '/metrics' && hasMetrics) {
      const metrics = await renderMetrics()
      response.writeHead(200, { 'content-type': metricsContentType }).end(metrics)
    } else {
      response.writeHead(404).end()
    }
  } catch {
    response.destroy()
  }
}
