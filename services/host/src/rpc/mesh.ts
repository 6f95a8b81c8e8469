import type { Agent } from 'node:http'
import type { DescService } from '@bufbuild/protobuf'
import { isCallerRefused, unavailable } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { callerKey, headers } from '@coffer/kit/rpc/rpc'
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { countRefusedCallers } from '../metrics.ts'
import { createAgent } from './connections.ts'
import { createDirectTransport } from './direct.ts'
import type { Routes } from './intercept.ts'
import { sendTrace } from './interceptors.ts'
import type { MeshTls } from './mesh-tls.ts'
import { markFirst, repeatRefused, repeatRefusedCaller, retry } from './retry.ts'

/** Timeout in ms of calls that set none. */
const defaultTimeoutMs = 5_000

/** Services that pass on the token of their caller, each with the services to which it does so. */
const passedOn: Record<string, readonly string[]> = { budgeting: ['ledger'] }

/** The only service whose 401 answers mean an invalid session or API key. */
const credentialOwner = 'identity'

export interface MeshOptions {
  /** Routes and server-side interceptors of the services in this process, by service name. */
  hosted: Record<string, { routes: Routes; interceptors: Interceptor[] }>
  /**
   * Base URLs (Connect over HTTP/1.1) of the services in other processes, by service name; those of
   * several replicas are separated by commas.
   */
  urls: Record<string, string>
  /** Certificates of connections to other processes; their URLs are then https. */
  tls?: MeshTls | null
  /** Age in ms from which a connection takes no further calls; 30 s by default. */
  connectionMsMax?: number
}

/** The clients of all services, with the time of the last answer of another process. */
export interface HostMesh extends Mesh {
  /** Returns the time of the last answer, an error included, by `performance.now`. */
  answeredAt: () => number
}

/**
 * Creates the clients of all services: in-memory calls within this process, Connect over HTTP/1.1
 * to other processes. Error codes and deadlines are the same for both kinds of call
 * (docs/architecture.md#calls).
 */
export function createMesh({
  hosted,
  urls,
  tls = null,
  connectionMsMax = 30_000,
}: MeshOptions): HostMesh {
  const agents: Agent[] = []
  let answeredAt = Number.NEGATIVE_INFINITY
  const noteAnswers = noteAnswer(() => {
    answeredAt = performance.now()
  })
  const transports = new Map<string, Transport>()
  const open = (name: string): Transport => {
    const hideRefusals = name === credentialOwner ? hideCallerRefusals : hideCredentialRefusals
    const local = hosted[name]
    if (local) {
      const { routes } = local
      const all = [hideRefusals, retry, ...local.interceptors]
      return createDirectTransport({ routes, interceptors: all, defaultTimeoutMs })
    }
    const replicaUrls = (urls[name] ?? '').split(',').map((url) => url.trim())
    const [baseUrl] = replicaUrls
    if (!baseUrl) throw unavailable(`no address for service ${name}`)
    const agent = createAgent(replicaUrls, connectionMsMax, tls)
    agents.push(agent)
    return createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      nodeOptions: { agent },
      interceptors: [
        hideRefusals,
        retry,
        markFirst,
        sendCaller([name, ...(passedOn[name] ?? [])]),
        repeatRefusedCaller,
        repeatRefused,
        noteAnswers,
        sendTrace,
      ],
      defaultTimeoutMs,
    })
  }
  return {
    client: (name, service) => {
      const transport = transports.get(name) ?? open(name)
      transports.set(name, transport)
      return createClient(service, transport)
    },
    answeredAt: () => answeredAt,
    [Symbol.dispose]: () => {
      for (const agent of agents) agent.destroy()
    },
  }
}

/** Creates the interceptor that sends the caller's token, signed for these services. */
function sendCaller(audience: readonly string[]): Interceptor {
  return (next) => async (request) => {
    const caller = request.contextValues.get(callerKey)
    if (caller) request.header.set(headers.caller, await caller.tokenFor(audience))
    return next(request)
  }
}

/** Creates an interceptor that calls `note` for each answer of another process, errors included. */
function noteAnswer(note: () => void): Interceptor {
  return (next) => async (request) => {
    try {
      const response = await next(request)
      note()
      return response
    } catch (error) {
      const { code, cause } = ConnectError.from(error)
      // A timeout or an error of the network (with a cause) is not an answer of the server.
      const isOwn = code === Code.DeadlineExceeded || code === Code.Canceled
      if (cause === undefined && !isOwn) note()
      throw error
    }
  }
}

/**
 * Maps a refused caller token to unavailable, with the refusal as cause: clocks or signing keys of
 * the deployment are wrong, not the client's credential.
 */
const hideCallerRefusals = hideErrors(isCallerRefused)

/**
 * Maps every 401 of a service other than `credentialOwner` to unavailable, as a refused caller
 * token: clients would drop a session or API key that identity still accepts.
 */
const hideCredentialRefusals = hideErrors(
  (error) => error instanceof ConnectError && error.code === Code.Unauthenticated,
)

/** Creates an interceptor that counts matching errors and maps them to unavailable. */
function hideErrors(isHidden: (error: unknown) => boolean): Interceptor {
  const replaced = (error: unknown, { typeName }: DescService): unknown => {
    if (!isHidden(error)) return error
    countRefusedCallers(1, typeName)
    const text = 'a service is not available'
    return new ConnectError(text, Code.Unavailable, undefined, undefined, error)
  }
  return (next) => async (request) => {
    try {
      const response = await next(request)
      if (!response.stream) return response
      const replace = (error: unknown) => replaced(error, request.service)
      return { ...response, message: replacingErrors(response.message, replace) }
    } catch (error) {
      throw replaced(error, request.service)
    }
  }
}

/** Maps the errors of a streaming call, which are thrown while its messages are read. */
async function* replacingErrors<Message>(
  messages: AsyncIterable<Message>,
  replaced: (error: unknown) => unknown,
) {
  try {
    yield* messages
  } catch (error) {
    throw replaced(error)
  }
}
