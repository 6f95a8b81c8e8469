import { Agent } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { isCallerRefused, unavailable } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { createDirectTransport } from './direct.ts'
import type { Routes } from './intercept.ts'

/** Timeout in ms of calls that set none. */
const defaultTimeoutMs = 5_000

export interface MeshOptions {
  /** Routes and server-side interceptors of the services in this process, by service name. */
  hosted: Record<string, { routes: Routes; interceptors: Interceptor[] }>
  /** Base URLs (Connect over HTTP/1.1) of the services in other processes, by service name. */
  urls: Record<string, string>
  /** Age in ms from which a connection is not used for further calls. */
  connectionMsMax?: number
}

/**
 * Creates the clients of all services: in-memory calls within this process, Connect over HTTP/1.1
 * to other processes. Error codes and deadlines are the same for both kinds of call
 * (docs/architecture.md#calls).
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
 * Creates a keep-alive agent that closes connections older than `msMax`: new replicas receive calls
 * only over new connections.
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
 * Maps a refused caller token to unavailable, with the refusal as cause: the clocks or signing keys
 * of the deployment are wrong, not the client's session or API key.
 */
const hideCallerRefusals: Interceptor = (next) => async (request) => {
  try {
    const response = await next(request)
    if (!response.stream) return response
    return { ...response, message: hidingCallerRefusals(response.message) }
  } catch (error) {
    throw replaceCallerRefusal(error)
  }
}

/** Maps the errors of a streaming call, which are thrown while its messages are read. */
async function* hidingCallerRefusals<Message>(messages: AsyncIterable<Message>) {
  try {
    yield* messages
  } catch (error) {
    throw replaceCallerRefusal(error)
  }
}

function replaceCallerRefusal(error: unknown): unknown {
  if (!isCallerRefused(error)) return error
  const text = 'a service is not available'
  return new ConnectError(text, Code.Unavailable, undefined, undefined, error)
}

/**
 * Retries an idempotent unary call once within its deadline, if the service was unavailable or the
 * connection broke. Other calls fail with deadline_exceeded: they may have been carried out.
 */
const retry: Interceptor = (next) => async (request) => {
  try {
    return await next(request)
  } catch (error) {
    const reason = reasonOf(error, request)
    const isLost = ConnectError.from(reason).code === Code.Unavailable
    const isOver = request.signal.aborted || isNotConnected(error)
    if (!isSafe(request) || !isLost || isOver || request.stream) throw reason
    return next(request).catch((again) => {
      throw reasonOf(again, request)
    })
  }
}

/** Pauses in ms between attempts to connect, while a replica starts. */
const refusedPausesMs = [50, 200, 500]

/**
 * Retries a unary call, even a write, if no connection was established. Not used for in-memory
 * calls: the called service may have written before a nested call of its own was refused.
 */
const repeatRefused: Interceptor = (next) => async (request) => {
  for (const pauseMs of request.stream ? [] : refusedPausesMs) {
    try {
      return await next(request)
    } catch (error) {
      if (!isNotConnected(error)) throw error
      await sleep(pauseMs, undefined, { signal: request.signal }).catch(() => {
        throw error
      })
    }
  }
  return next(request)
}

/** Returns whether no connection was established: DNS or connect(2) failed for all addresses. */
function isNotConnected(error: unknown): boolean {
  const cause = Object(ConnectError.from(error).cause)
  const causes: unknown[] = cause.errors ?? [cause]
  return causes.every((one) => ['connect', 'getaddrinfo'].includes(Object(one).syscall))
}

type Call = Parameters<ReturnType<Interceptor>>[0]

function isSafe({ method }: Call): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN
}

/**
 * Maps the error of a broken connection: to unavailable if the call is idempotent, else to
 * deadline_exceeded, because the call may have been carried out. Returns other errors unchanged.
 */
function reasonOf(error: unknown, request: Call): unknown {
  if (!isBroken(error) || request.signal.aborted) return error
  const code = isSafe(request) ? Code.Unavailable : Code.DeadlineExceeded
  const { cause } = ConnectError.from(error)
  return new ConnectError('the connection to a service was lost', code, undefined, undefined, cause)
}

/** Returns whether the connection broke: EPIPE, or `aborted` with a cause (servers send none). */
function isBroken(error: unknown): boolean {
  const { code, cause } = ConnectError.from(error)
  return (code === Code.Aborted && cause !== undefined) || Object(cause).code === 'EPIPE'
}
