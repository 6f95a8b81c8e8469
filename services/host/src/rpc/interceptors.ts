import { type DescMethod, getOption } from '@bufbuild/protobuf'
import { MethodOptions_IdempotencyLevel as Level } from '@bufbuild/protobuf/wkt'
import { isCallerOver, type OutgoingCaller } from '@coffer/kit/rpc/caller'
import { causedBy, causeOfCall } from '@coffer/kit/rpc/cause'
import {
  callerExpired,
  callerRefused,
  forbidden,
  isCallerRefused,
  unauthenticated,
} from '@coffer/kit/rpc/errors'
import { knownError } from '@coffer/kit/rpc/fault'
import { callerKey, headers } from '@coffer/kit/rpc/rpc'
import type { Log } from '@coffer/kit/service/log'
import {
  type Attributes,
  currentTraceId,
  currentTraceparent,
  isTracing,
  traced,
  traceHeader,
} from '@coffer/kit/telemetry/trace'
import { access } from '@coffer/proto/options/v1/options'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { observeRpcSeconds } from '../metrics.ts'
import type { VerifyCaller } from './caller-verifier.ts'

type Call = Parameters<ReturnType<Interceptor>>[0]
type Answer = ReturnType<ReturnType<Interceptor>>

export interface AuthorizeOptions {
  verify: VerifyCaller
  clock: () => Date
  /** Names of the services that provide the intercepted RPCs; the token must be for one of them. */
  services: readonly string[]
}

/**
 * Creates the server-side interceptor that verifies the caller token and the caller's access to the
 * method. A caller in the same process sends no token, which would prove nothing, since the process
 * holds the keys of all its services. Throws callerRefused for a bad token, unauthenticated or
 * forbidden for the caller.
 */
export function authorize({ verify, clock, services }: AuthorizeOptions): Interceptor {
  return (next) => {
    const admit = (request: Call, received: OutgoingCaller): Answer => {
      const { caller } = received
      const { issuers, anonymous, pending } = accessTo(request.method)
      if (!issuers.includes(caller.issuer)) {
        throw forbidden(`${request.method.name} does not accept ${caller.issuer}`)
      }
      if (!anonymous && caller.accountId === '') throw unauthenticated('CREDENTIAL_REQUIRED')
      if (!anonymous && !pending && caller.kind === 'pending') throw unauthenticated('MFA_REQUIRED')
      const isRead = request.method.idempotency === Level.NO_SIDE_EFFECTS
      if (caller.isReadOnly && !isRead) throw forbidden('this API key may only read')
      request.contextValues.set(callerKey, received)
      if (isRead) return next(request)
      return causedBy(causeOfCall(caller, request.header), () => next(request))
    }
    return (request) => {
      const now = clock()
      const local = request.contextValues.get(callerKey)
      if (local && isCallerOver(local, now)) throw callerExpired()
      if (local) return admit(request, local)
      const token = request.header.get(headers.caller)
      if (!token) throw callerRefused('caller token is missing')
      return verify(token, services, now).then((received) => admit(request, received))
    }
  }
}

type Access = { issuers: string[]; anonymous: boolean; pending: boolean }

const accesses = new WeakMap<DescMethod, Access>()

/** Returns the protobuf option that lists who may call a method; cached. */
function accessTo(method: DescMethod): Access {
  let known = accesses.get(method)
  if (!known) {
    const { issuers, anonymous, pending } = getOption(method, access)
    known = { issuers: issuers.length > 0 ? issuers : ['gateway'], anonymous, pending }
    accesses.set(method, known)
  }
  return known
}

/**
 * Creates the server-side interceptor that measures each RPC and maps unexpected errors
 * (`knownError`). The log line of an error names the service in the request's field `service`, if
 * `isHosted` accepts that name.
 */
export function observe(
  log: Log,
  isHosted: (service: string) => boolean = () => false,
): Interceptor {
  const logAbout = (message: object): Log => {
    const service = 'service' in message ? message.service : undefined
    return typeof service === 'string' && isHosted(service) ? log.child({ service }) : log
  }
  return inSpan((next) => async (request) => {
    const { service, method } = request
    const startedAt = performance.now()
    const done = (code: string) =>
      observeRpcSeconds((performance.now() - startedAt) / 1000, service.typeName, method.name, code)
    try {
      const response = await next(request)
      done('ok')
      return response
    } catch (error) {
      const isRepeatable = method.idempotency !== Level.IDEMPOTENCY_UNKNOWN
      const known = knownError(error, { isRepeatable })
      done(Code[known.code])
      if (known.code === Code.Internal || known.code === Code.Unknown) {
        const requestId = request.header.get(headers.requestId)
        // Errors after an abort are logged at debug: no client waits for the answer, and the
        // handler may fail with any error.
        const level = hasCallerAborted(request.signal) ? 'debug' : 'error'
        const fields = { err: error, rpc: method.name, requestId }
        logAbout(request.message)[level](fields, 'rpc failed')
      }
      if (isCallerRefused(known)) {
        const { rawMessage: reason } = known
        const fields = { rpc: method.name, reason }
        logAbout(request.message).warn(fields, 'refused a caller token')
      }
      throw known
    }
  })
}

/** Runs an RPC in a span, whose parent is the span of the caller. */
function inSpan(interceptor: Interceptor): Interceptor {
  return (next) => {
    const handle = interceptor(next)
    return (request) => {
      if (!isTracing()) return handle(request)
      const { name, attributes } = describe(request.method)
      const header = request.header.get(traceHeader)
      // A call from this process has the caller's span in its context, which becomes the parent.
      // Only a call from another process needs the header.
      const parent = currentTraceId() === undefined ? { parent: header } : {}
      return traced(name, { kind: 'server', attributes, ...parent }, () => handle(request))
    }
  }
}

type Described = { name: string; attributes: Attributes }

const described = new WeakMap<DescMethod, Described>()

/** Returns the name and attributes of the spans of a method; cached. */
function describe(method: DescMethod): Described {
  let known = described.get(method)
  if (!known) {
    const name = `${method.parent.typeName}/${method.name}`
    const attributes = { 'rpc.system.name': 'connectrpc', 'rpc.method': name }
    known = { name, attributes: Object.freeze(attributes) }
    described.set(method, known)
  }
  return known
}

/** Client-side interceptor that sends the active span with calls to other processes. */
export const sendTrace: Interceptor = (next) => (request) => {
  const traceparent = currentTraceparent()
  if (traceparent !== null) request.header.set(traceHeader, traceparent)
  return next(request)
}

/** Returns whether the caller aborted the call; false if the deadline has passed. */
function hasCallerAborted({ aborted, reason }: AbortSignal): boolean {
  return aborted && ConnectError.from(reason).code !== Code.DeadlineExceeded
}
