import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type Http2Server, type Http2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Health } from '@coffer/proto/grpc/health'
import { ServerReflection } from '@coffer/proto/grpc/reflection'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { healthRoutes } from './health.ts'
import { servicesOf } from './intercept.ts'
import { reflectionRoutes } from './reflection.ts'
import { registry } from './telemetry.ts'

/** Larger than any upload the gateway lets through (6 MiB). */
const messageSizeMax = 8 * 1024 * 1024

/** Longer than the 30 s for which clients keep an idle connection: they shall be first to close. */
const keepAliveMs = 65_000

/** How long a client may take to read an answer that came before its request has ended. */
export const unreadMs = 500

export interface ServeOptions {
  host: string
  /** HTTP/1.1: Connect for our own processes, liveness, readiness and metrics. 0 picks one. */
  rpcPort: number
  /** HTTP/2 cleartext: gRPC, with health and reflection. 0 picks one. */
  grpcPort: number
  /** With the interceptors that they need. */
  routes: (router: ConnectRouter) => void
  isHealthy: () => Promise<boolean>
  /** How long disposing waits for running calls before it cuts them off. */
  drainMsMax?: number
}

/**
 * The two listening ports of a process. Disposing drains: new calls are refused, running ones are
 * waited for.
 */
export interface Servers extends AsyncDisposable {
  rpcPort: number
  grpcPort: number
}

/** Opens both ports; health and reflection need no caller. Rejects where a port is taken. */
export async function serve(options: ServeOptions): Promise<Servers> {
  const draining = new AbortController()
  const isReady = async () => !draining.signal.aborted && (await options.isHealthy())
  const rpc = createRpcServer(options, isReady, draining.signal)
  const grpc = createGrpcServer(options, isReady, draining.signal)
  await using opening = new AsyncDisposableStack()
  opening.defer(rpc.drain)
  opening.defer(grpc.drain)
  const { host, drainMsMax = 15_000 } = options
  const rpcPort = await listen(rpc.server, options.rpcPort, host)
  const grpcPort = await listen(grpc.server, options.grpcPort, host)
  opening.move()
  return {
    rpcPort,
    grpcPort,
    [Symbol.asyncDispose]: async () => {
      draining.abort()
      const cut = setTimeout(() => {
        rpc.cut()
        grpc.cut()
      }, drainMsMax)
      await Promise.all([rpc.drain(), grpc.drain()])
      clearTimeout(cut)
    },
  }
}

interface Draining<S> {
  server: S
  /** Stops listening; resolves when the last running call has its answer. */
  drain: () => Promise<void>
  cut: () => void
}

function createRpcServer(
  { routes }: ServeOptions,
  isReady: () => Promise<boolean>,
  draining: AbortSignal,
): Draining<Server> {
  const handle = connectNodeAdapter({
    routes,
    readMaxBytes: messageSizeMax,
    fallback: (request, response) => {
      void operate(request as IncomingMessage, response as ServerResponse, isReady)
    },
  })
  const running = new Set<ServerResponse>()
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    // A connection that was busy when the drain began may carry another call: not here any more.
    if (draining.aborted && request.method === 'POST') {
      response.writeHead(503, { connection: 'close' }).end()
      return
    }
    running.add(response)
    response.once('finish', () => endUnread(request))
    response.once('close', () => {
      running.delete(response)
      if (draining.aborted) setImmediate(() => server.closeIdleConnections())
    })
    handle(request, response)
  })
  return {
    server,
    drain: () => {
      for (const response of running) {
        if (!response.headersSent) response.setHeader('connection', 'close')
      }
      return closed(server)
    },
    cut: () => server.closeAllConnections(),
  }
}

function createGrpcServer(
  { routes }: ServeOptions,
  isReady: () => Promise<boolean>,
  draining: AbortSignal,
): Draining<Http2Server> {
  const offered = servicesOf(routes)
  const services = offered.map(({ typeName }) => typeName)
  const server = createHttp2Server(
    connectNodeAdapter({
      routes: (router) => {
        routes(router)
        healthRoutes(router, { services, isReady, draining })
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
    drain: () => {
      for (const session of sessions) session.close()
      return closed(server)
    },
    cut: () => {
      for (const session of sessions) session.destroy()
    },
  }
}

/**
 * A call that was answered before all of its stream was read: Connect's client sends no more of it,
 * and no end. It gets time to read the answer, then the connection closes, unless the end came all
 * the same: then the connection may carry the next call by now.
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

function closed(server: Server | Http2Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

async function operate(
  request: IncomingMessage,
  response: ServerResponse,
  isReady: () => Promise<boolean>,
): Promise<void> {
  try {
    if (request.url === '/healthz') {
      response.writeHead(200).end('alive\n')
    } else if (request.url === '/readyz') {
      const ready = await isReady()
      response.writeHead(ready ? 200 : 503).end(ready ? 'ready\n' : 'not ready\n')
    } else if (request.url === '/metrics') {
      const metrics = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(metrics)
    } else {
      response.writeHead(404).end()
    }
  } catch {
    response.destroy()
  }
}
