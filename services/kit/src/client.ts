import { Agent } from 'node:http'
import type { DescService } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import {
  type Client,
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'

import { createDirectTransport } from './direct.ts'

/** How long a call may take when its caller does not say. */
export const defaultTimeoutMs = 5_000

/** Finds the transport to a service, whether it runs in this process or elsewhere. */
export interface Mesh extends Disposable {
  /** A client of one of the service's RPC services, by the service's name (`ledger`). */
  client: <Service extends DescService>(name: string, service: Service) => Client<Service>
}

export interface MeshOptions {
  /** Routes of the services this process hosts, with their server-side interceptors. */
  hosted: Record<string, { routes: (router: ConnectRouter) => void; interceptors: Interceptor[] }>
  /** Base URLs (Connect, HTTP/1.1) of the services that run elsewhere. */
  urls: Record<string, string>
}

/**
 * Opens the way to every service: in memory where it is hosted here, otherwise Connect over
 * HTTP/1.1 keep-alive. The same codes and deadlines hold on both (design 2).
 */
export function createMesh({ hosted, urls }: MeshOptions): Mesh {
  const call = { interceptors: [retry], defaultTimeoutMs }
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: 30_000 })
  // New replicas get work only over new connections.
  const recycle = setInterval(() => closeIdle(agent), 30_000).unref()
  const transports = new Map<string, Transport>()
  const open = (name: string): Transport => {
    const local = hosted[name]
    if (local) {
      const interceptors = [retry, ...local.interceptors]
      return createDirectTransport({ routes: local.routes, interceptors, defaultTimeoutMs })
    }
    const baseUrl = urls[name]
    if (!baseUrl) throw new ConnectError(`no address for service ${name}`, Code.Unavailable)
    return createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      nodeOptions: { agent },
      ...call,
    })
  }
  return {
    client: (name, service) => {
      const transport = transports.get(name) ?? open(name)
      transports.set(name, transport)
      return createClient(service, transport)
    },
    [Symbol.dispose]: () => {
      clearInterval(recycle)
      agent.destroy()
    },
  }
}

function closeIdle(agent: Agent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

/** Tries a call marked idempotent once more when its service was not reached. */
const retry: Interceptor = (next) => async (request) => {
  try {
    return await next(request)
  } catch (error) {
    const safe = request.method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN
    const { code } = ConnectError.from(error)
    if (!safe || code !== Code.Unavailable || request.signal.aborted || request.stream) throw error
    return next(request)
  }
}
