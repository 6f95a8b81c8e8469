import { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
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
import { isCallerRefused, unavailable } from './errors.ts'

/** How long a call may take when its caller does not say. */
const defaultTimeoutMs = 5_000

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
  /** How long a connection is used before calls move to a new one. */
  connectionMsMax?: number
}

/**
 * Opens the way to every service: in memory where it is hosted here, otherwise Connect over
 * HTTP/1.1 keep-alive. The same codes and deadlines hold on both (design 2).
 */
export function createMesh({ hosted, urls, connectionMsMax = 30_000 }: MeshOptions): Mesh {
  const interceptors = [hideCallerRefusals, retry]
  const agent = recyclingAgent(connectionMsMax)
  const transports = new Map<string, Transport>()
  const open = (name: string): Transport => {
    const local = hosted[name]
    if (local) {
      const { routes } = local
      const all = [...interceptors, ...local.interceptors]
      return createDirectTransport({ routes, interceptors: all, defaultTimeoutMs })
    }
    const baseUrl = urls[name]
    if (!baseUrl) throw unavailable(`no address for service ${name}`)
    return createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      nodeOptions: { agent },
      interceptors: [...interceptors, repeatRefused],
      defaultTimeoutMs,
    })
  }
  return {
    client: (name, service) => {
      const transport = transports.get(name) ?? open(name)
      transports.set(name, transport)
      return createClient(service, transport)
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/**
 * Keeps connections alive between calls, but none longer than `msMax` after it was made: new
 * replicas get work only over new connections.
 */
function recyclingAgent(msMax: number): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, timeout: msMax })
  const madeAt = new WeakMap<Duplex, number>()
  const { createConnection, keepSocketAlive } = agent
  agent.createConnection = (...made) => {
    const socket = createConnection.apply(agent, made)
    if (socket) madeAt.set(socket, performance.now())
    return socket
  }
  agent.keepSocketAlive = (socket) => {
    const age = performance.now() - (madeAt.get(socket) ?? 0)
    return age < msMax && keepSocketAlive.call(agent, socket)
  }
  return agent
}

/**
 * A service that does not accept the caller token is unavailable: clocks or keys of the deployment
 * are wrong, not the credential of the client. The refusal stays as the cause.
 */
const hideCallerRefusals: Interceptor = (next) => async (request) => {
  try {
    const response = await next(request)
    if (!response.stream) return response
    return { ...response, message: hidingCallerRefusals(response.message) }
  } catch (error) {
    throw withoutCallerRefusal(error)
  }
}

/** The error of a call that streams comes with its messages. */
async function* hidingCallerRefusals<Message>(messages: AsyncIterable<Message>) {
  try {
    yield* messages
  } catch (error) {
    throw withoutCallerRefusal(error)
  }
}

function withoutCallerRefusal(error: unknown): unknown {
  if (!isCallerRefused(error)) return error
  const text = 'a service is not available'
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error)
}

/**
 * Tries a call marked idempotent once more, within its deadline, when its service was unavailable
 * or the connection broke under it. Of another call whose connection broke nobody knows whether it
 * was carried out, which is what its error means.
 */
const retry: Interceptor = (next) => async (request) => {
  try {
    return await next(request)
  } catch (error) {
    const reason = reasonOf(error, request)
    const isLost = ConnectError.from(reason).code === Code.Unavailable
    const isOver = request.signal.aborted || neverLeft(error)
    if (!isSafe(request) || !isLost || isOver || request.stream) throw reason
    return next(request).catch((again) => {
      throw reasonOf(again, request)
    })
  }
}

/** A replica that starts, or another one behind the same name, takes connections by then. */
const refusedPausesMs = [50, 200, 500]

/**
 * Repeats a call that never left this process, a write too, within its deadline. For calls over
 * the network alone: a co-hosted service that was refused by the next one may have written before.
 */
const repeatRefused: Interceptor = (next) => async (request) => {
  for (const pauseMs of request.stream ? [] : refusedPausesMs) {
    try {
      return await next(request)
    } catch (error) {
      if (!neverLeft(error)) throw error
      await sleep(pauseMs, undefined, { signal: request.signal }).catch(() => {
        throw error
      })
    }
  }
  return next(request)
}

/** Whether no connection came about: the name look-up or connect(2) failed, for every address. */
function neverLeft(error: unknown): boolean {
  const cause = Object(ConnectError.from(error).cause)
  const causes: unknown[] = cause.errors ?? [cause]
  return causes.every((one) => ['connect', 'getaddrinfo'].includes(Object(one).syscall))
}

type Call = Parameters<ReturnType<Interceptor>>[0]

function isSafe({ method }: Call): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN
}

/** As when a deadline has passed, a call that is not safe to repeat may have been carried out. */
function reasonOf(error: unknown, request: Call): unknown {
  if (!wasBroken(error) || request.signal.aborted) return error
  const code = isSafe(request) ? Code.Unavailable : Code.DeadlineExceeded
  const { cause } = ConnectError.from(error)
  return new ConnectError('the connection to a service was lost', code, undefined, undefined, cause)
}

/** Whether the connection broke, as opposed to an answer that says `aborted`. */
function wasBroken(error: unknown): boolean {
  const { code, cause } = ConnectError.from(error)
  return (code === Code.Aborted && cause !== undefined) || Object(cause).code === 'EPIPE'
}
