import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type Http2Server, type Http2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { drainOf } from '@coffer/kit/service/drain'
import { Health } from '@coffer/proto/grpc/health'
import { ServerReflection } from '@coffer/proto/grpc/reflection'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { healthRoutes } from './health.ts'
import { reflectionRoutes } from './reflection.ts'
import { servicesOf } from './rpc/intercept.ts'
import { awayHeader } from './rpc/replicas.ts'
import { metricsContentType, renderMetrics } from './telemetry/meter.ts'
import './telemetry/process-metrics.ts'

/** Maximum size in bytes of an RPC message: above the gateway's limit of 6 MiB for an upload. */
const messageSizeMax = 8 * 1024 * 1024

/**
 * Time in ms that idle connections stay open: longer than in clients (30 s), so that the client
 * closes first and no request meets a closed connection.
 */
const keepAliveMs = 65_000

/** Time in ms from an answer to an unfinished request until the request's connection is closed. */
export const unreadMs = 500

export interface ServeOptions {
  host: string
  /** Port of Connect over HTTP/1.1, health checks and metrics; 0 chooses a free port. */
  rpcPort: number
  /** Port of gRPC (HTTP/2 cleartext), with health and reflection; 0 chooses a free port. */
  grpcPort: number
  /** RPC routes with their interceptors. */
  routes: (router: ConnectRouter) => void
  /** Returns why the process is not ready; an empty list when it is ready. */
  blockers: () => Promise<string[]>
  /** Returns what waits meanwhile, one text for each server that is away; for `/readyz`. */
  notices?: () => string[]
  /** Whether a database of a hosted service is away: callers then give its calls to others. */
  isDatabaseAway?: () => boolean
  /** Returns what is dead in the process and needs a restart; nothing by default. */
  faults?: () => string[]
  /** Aborts on a stop signal: the process reports not ready, and responses close connections. */
  draining?: AbortSignal
  /** Time in ms for which disposing waits for running calls, before it cuts them off. */
  drainMsMax?: number
}

/** The listening RPC and gRPC server. Disposing refuses connections and waits for running calls. */
export interface Servers extends AsyncDisposable {
  rpcPort: number
  grpcPort: number
}

/**
 * Opens the RPC port and the gRPC port; health and reflection need no caller token. Rejects when a
 * port is in use.
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
  const rpc = createRpcServer(options, { blockers, draining })
  const grpc = createGrpcServer(options, { isReady, ending: ending.signal })
  await using opening = new AsyncDisposableStack()
  opening.defer(() => rpc.end(msMax))
  opening.defer(() => grpc.end(msMax))
  const rpcPort = await listen(rpc.server, options.rpcPort, host)
  const grpcPort = await listen(grpc.server, options.grpcPort, host)
  opening.move()
  return {
    rpcPort,
    grpcPort,
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await Promise.all([rpc.end(msMax), grpc.end(msMax)])
    },
  }
}

interface DrainingServer<S> {
  server: S
  /** Stops listening; resolves when all running calls have ended. Cuts them off after `msMax`. */
  end: (msMax: number) => Promise<void>
}

function createRpcServer(
  { routes, ...options }: ServeOptions,
  { blockers, draining }: { blockers: () => Promise<string[]>; draining: AbortSignal },
): DrainingServer<Server> {
  const handle = connectNodeAdapter({
    routes,
    readMaxBytes: messageSizeMax,
    fallback: (request, response) => {
      const states = { ...options, blockers }
      void answerOperations(request as IncomingMessage, response as ServerResponse, states)
    },
  })
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    response.once('finish', () => endUnread(request))
    handle(request, response)
  })
  const drain = drainOf(server)
  draining.addEventListener('abort', drain.begin, { once: true })
  return { server, end: (msMax) => drain.end({ close: () => closeServer(server), msMax }) }
}

function createGrpcServer(
  { routes }: ServeOptions,
  { isReady, ending }: { isReady: () => Promise<boolean>; ending: AbortSignal },
): DrainingServer<Http2Server> {
  const offered = servicesOf(routes)
  const services = offered.map(({ typeName }) => typeName)
  const server = createHttp2Server(
    connectNodeAdapter({
      routes: (router) => {
        routes(router)
        healthRoutes(router, { services, isReady, ending })
        reflectionRoutes(router, [...offered, Health, ServerReflection])
      },
      readMaxBytes: messageSizeMax,
    }),
  )
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
 * within `unreadMs`: Connect's client stops sending without ending the stream.
 */
function endUnread(request: IncomingMessage): void {
  if (request.complete) return
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, unreadMs)
  request.once('close', () => clearTimeout(timer))
}

async function listen(server: Server | Http2Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function closeServer(server: Server | Http2Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

async function answerOperations(
  request: IncomingMessage,
  response: ServerResponse,
  options: Pick<ServeOptions, 'blockers' | 'notices' | 'faults' | 'isDatabaseAway'>,
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
    } else if (request.url === '/metrics') {
      const metrics = await renderMetrics()
      response.writeHead(200, { 'content-type': metricsContentType }).end(metrics)
    } else {
      response.writeHead(404).end()
    }
  } catch {
    response.destroy()
  }
}
