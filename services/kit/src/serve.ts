import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server, type Http2ServerRequest } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { DescService } from '@bufbuild/protobuf'
import { type ConnectRouter, createConnectRouter, type Interceptor } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { healthRoutes } from './health.ts'
import { reflectionRoutes } from './reflection.ts'
import { registry } from './telemetry.ts'

/** Larger than any upload the gateway lets through (6 MiB). */
const messageSizeMax = 8 * 1024 * 1024

export interface ServeOptions {
  host: string
  /** HTTP/1.1: Connect for our own processes, liveness, readiness and metrics. 0 picks one. */
  rpcPort: number
  /** HTTP/2 cleartext: gRPC, with health and reflection. 0 picks one. */
  grpcPort: number
  routes: (router: ConnectRouter) => void
  interceptors: Interceptor[]
  isHealthy: () => Promise<boolean>
}

/** The two listening ports of a process. Disposing drains: it waits for running calls. */
export interface Servers extends AsyncDisposable {
  rpcPort: number
  grpcPort: number
}

/** Opens both ports; health and reflection need no caller. */
export async function serve(options: ServeOptions): Promise<Servers> {
  const { host, routes, interceptors, isHealthy } = options
  let draining = false
  const ready = async () => !draining && (await isHealthy())
  const rpc = createServer(
    connectNodeAdapter({
      routes: (router) => withInterceptors(router, routes, interceptors),
      readMaxBytes: messageSizeMax,
      fallback: (request, response) =>
        void operate(request as IncomingMessage, response as ServerResponse, ready),
    }),
  )
  const grpc = createHttp2Server(
    connectNodeAdapter({
      routes: (router) => {
        withInterceptors(router, routes, interceptors)
        healthRoutes(router, ready)
        reflectionRoutes(router, servicesOf(routes))
      },
      readMaxBytes: messageSizeMax,
    }) as (request: Http2ServerRequest) => void,
  )
  const sessions = new Set<{ close: () => void }>()
  grpc.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  rpc.listen(options.rpcPort, host)
  grpc.listen(options.grpcPort, host)
  await Promise.all([once(rpc, 'listening'), once(grpc, 'listening')])
  return {
    rpcPort: (rpc.address() as AddressInfo).port,
    grpcPort: (grpc.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      draining = true
      for (const session of sessions) session.close()
      rpc.closeIdleConnections()
      await Promise.all([closed(rpc), closed(grpc)])
    },
  }
}

function closed(server: { close: (done: () => void) => void }): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Registers routes with interceptors of their own, so that health can do without them. */
function withInterceptors(
  router: ConnectRouter,
  routes: (router: ConnectRouter) => void,
  interceptors: Interceptor[],
): void {
  const guarded = Object.create(router, {
    service: {
      value: (service: DescService, implementation: never) => {
        router.service(service, implementation, { interceptors })
        return guarded
      },
    },
  }) as ConnectRouter
  routes(guarded)
}

function servicesOf(routes: (router: ConnectRouter) => void): DescService[] {
  const services: DescService[] = []
  const router = createConnectRouter()
  const recorder = Object.create(router, {
    service: {
      value: (service: DescService) => {
        services.push(service)
        return recorder
      },
    },
  }) as ConnectRouter
  routes(recorder)
  return services
}

async function operate(
  request: IncomingMessage,
  response: ServerResponse,
  isReady: () => Promise<boolean>,
): Promise<void> {
  if (request.url === '/healthz') {
    response.writeHead(200).end('alive\n')
  } else if (request.url === '/readyz') {
    const ready = await isReady()
    response.writeHead(ready ? 200 : 503).end(ready ? 'ready\n' : 'not ready\n')
  } else if (request.url === '/metrics') {
    response.writeHead(200, { 'content-type': registry.contentType })
    response.end(await registry.metrics())
  } else {
    response.writeHead(404).end()
  }
}
