import { Readable } from 'node:stream'
import type { OutgoingCaller } from '@coffer/kit/rpc/caller'
import { asCaller, headers } from '@coffer/kit/rpc/rpc'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Attempts } from '../auth/attempts.ts'
import { ofFormerBuild } from '../auth/page-headers.ts'
import { credentialChallenge } from '../auth/session.ts'
import { renderAnswer, writeAnswer } from '../http/answers/answer.ts'
import { selectKeys } from '../http/answers/answer-keys.ts'
import { readBody, wrongType } from '../http/bodies/body.ts'
import { bodyBoundsOf, tooLarge } from '../http/bodies/body-bounds.ts'
import { requireNoCoding } from '../http/bodies/content-coding.ts'
import { readForm } from '../http/bodies/form.ts'
import { addVary, isCompressible, keepStrongTag } from '../http/compression.ts'
import type { ConcurrencyLimiter } from '../http/concurrency-limiter.ts'
import {
  addCurrentTag,
  hasVersion,
  matchHeaders,
  tagAnswer,
  type VersionTag,
} from '../http/conditional-request.ts'
import { isClientError, isOutdated, isUnauthenticated } from '../http/errors/errors.ts'
import { hashOf, idempotencyHeaders } from '../http/idempotency.ts'
import { type AnswerQuery, answerQuery } from '../http/queries/answer-query.ts'
import { pageOf } from '../http/queries/list-page.ts'
import { namesOf, queryParser, requireKnown } from '../http/queries/query.ts'
import {
  authClasses,
  type Call,
  methodsOf,
  type Route,
  refusesUnknownQuery,
} from '../http/route.ts'
import { requireVersion } from '../sockets/handshake.ts'
import type { Sockets } from '../sockets/sockets.ts'
import { type Admission, type AdmissionDeps, admit, readCredential } from './admission.ts'
import { closeAfterRest } from './lingering-close.ts'

const jsonType = 'application/json; charset=utf-8'

const anonymous: Admission = { accountId: '', caller: null, timezone: '', onlyReplay: false }

const emptyObject = Buffer.from('{}')

interface MountDeps extends AdmissionDeps {
  sockets: Sockets
  /** Limits concurrent file uploads. */
  files: ConcurrencyLimiter
  /** Rate limit of attempts, shared by all limited routes. */
  attempts: Attempts
  versionTag: VersionTag
  /** The GET routes by path. */
  reads: ReadonlyMap<string, Route>
}

/** Registers a route: admission control, query, body, handler, then the answer as JSON. */
export function mount(app: FastifyInstance, route: Route, deps: MountDeps): void {
  const shown = answerQuery(route)
  const names = [...namesOf(route.query), ...namesOf(shown)]
  const refusesUnknown = refusesUnknownQuery(route)
  const parseShown = queryParser(shown)
  const parseQuery = route.query && queryParser(route.query)
  const varies = variesOf(route)
  const hasBody =
    route.file !== undefined || route.webhook !== undefined || route.body !== undefined
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller, accountId, timezone } = request.admission ?? anonymous
    const condition = route.isConditional ? matchHeaders(request) : undefined
    const options = optionsOf(request, caller, condition)
    const { params } = request
    const sent = request.query as object
    if (refusesUnknown) requireKnown(sent, names)
    const answered = parseShown(sent)
    const call: Call = {
      params,
      accountId,
      timezone,
      options,
      request,
      reply,
      renewOptions: () => renewedOptions(deps, route, request),
      query: parseQuery?.(sent),
      body: undefined,
      writeOptions: options,
    }
    if (hasBody) call.body = await requestBody(route, call)
    if (route.idempotent) call.writeOptions = writeOptionsOf(route, call)
    if (route.versionOf && (await hasVersion(route, call, deps.versionTag))) {
      reply.code(304)
      return undefined
    }
    const { attempts } = route
    const counting = typeof attempts === 'function' ? attempts(call.body) : attempts
    const run = () => handle(route, call, deps.reads)
    const value = await (counting ? deps.attempts.run(request, run, counting) : run())
    if (route.success) reply.code(route.success)
    return payloadOf(reply, value, { route, query: answered })
  }
  app.route({
    method: methodsOf(route),
    url: route.path,
    bodyLimit: bodyBoundsOf(route).bytesMax,
    errorHandler: errorHandlerOf(route, deps),
    compress: isCompressible(route) ? {} : false,
    onRequest: (request, reply) => {
      for (const name of varies) addVary(reply, name)
      if (request.ws) requireVersion(request, reply)
      return admit(deps, route, request, reply)
    },
    onSend: route.file ? closeAfterRest : keepStrongTag,
    ...(route.socket ? upgrade(route, deps) : {}),
    handler: route.file ? limited(answer, deps.files) : answer,
  })
}

/** Returns the handler of a route's errors, which throws the error that is answered. */
function errorHandlerOf(route: Route, { cookie }: MountDeps) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): never => {
    if (request.admission?.onlyReplay && isClientError(error)) throw ofFormerBuild()
    if (isUnauthenticated(error)) {
      const acceptsKeys = authClasses[route.auth].key
      const hasSession = cookie.read(request) !== undefined
      const cookieName = cookie.nameFor(request)
      const challenge = credentialChallenge(request, { acceptsKeys, hasSession, cookieName })
      reply.header('www-authenticate', challenge)
    }
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') throw tooLarge(bodyBoundsOf(route))
    // Fastify itself refuses an empty or missing Content-Type: the error gets the usual text.
    if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error
    throw wrongType(route.file ? 'multipart/form-data' : 'application/json')
  }
}

type Answering = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Limits concurrent uploads of files. */
function limited(answer: Answering, files: ConcurrencyLimiter): Answering {
  return async (request, reply) => {
    const release = files.acquire((request.admission ?? anonymous).accountId)
    try {
      return await answer(request, reply)
    } finally {
      release()
    }
  }
}

/** Returns the request headers that the answers of a route depend on. */
function variesOf(route: Route): string[] {
  return [
    ...(isCompressible(route) ? ['accept-encoding'] : []),
    ...(route.alternative ? ['accept'] : []),
  ]
}

/** Runs the handler. A 412 gets the current entity tag, so that the client needs no GET for it. */
async function handle(route: Route, call: Call, reads: MountDeps['reads']): Promise<unknown> {
  try {
    return await route.handler(call)
  } catch (error) {
    if (isOutdated(error)) await addCurrentTag(call, reads.get(route.path))
    throw error
  }
}

function upgrade(
  route: Route,
  deps: MountDeps,
): Pick<Parameters<FastifyInstance['route']>[0], 'preHandler' | 'wsHandler'> {
  const { sockets } = deps
  const { socket: serve, find } = route
  return {
    // A GET without an upgrade gets the same refusals: browsers do not show the answer to a refused
    // handshake, so their page sends a GET for the reason.
    preHandler: async (request) => {
      const { accountId, caller } = request.admission ?? anonymous
      if (request.ws) sockets.requireOwnOrigin(request)
      sockets.hold(request, accountId)
      await find?.({ params: request.params, options: optionsOf(request, caller) })
    },
    wsHandler: async (socket, request) => {
      const { accountId, caller } = request.admission ?? anonymous
      const { params } = request
      const options = optionsOf(request, caller)
      const renewOptions = () => renewedOptions(deps, route, request)
      await serve?.({ params, options, socket, accountId, renewOptions })
    },
  }
}

async function renewedOptions(
  { sessions, cookie }: AdmissionDeps,
  { auth }: Route,
  request: FastifyRequest,
): Promise<CallOptions> {
  const sent = readCredential(request, cookie, authClasses[auth].key)
  return optionsOf(request, (await sessions.verify(sent, request.id)).caller)
}

async function requestBody(
  route: Route,
  { params, options, request, reply, timezone }: Call,
): Promise<unknown> {
  if (route.file ?? route.webhook) requireNoCoding(request, reply)
  if (route.file) return readForm(request, route.file, Object.keys(route.formParts ?? {}))
  if (!route.body) return undefined
  try {
    requireNoCoding(request, reply)
    const { body, headers: sent } = request
    const bytes = body ?? (route.isBodyOptional ? emptyObject : undefined)
    const contentType = sent['content-type'] ?? (body ? undefined : 'application/json')
    const { tokensMax } = bodyBoundsOf(route)
    return readBody(route.body, { bytes, contentType, tokensMax, timezone })
  } catch (error) {
    // Returns 404 for a missing object even if the body is invalid
    // (docs/api.md#objects-that-are-not-there).
    await route.find?.({ params, options })
    throw error
  }
}

function optionsOf(
  request: FastifyRequest,
  caller: OutgoingCaller | null,
  more?: Record<string, string>,
): CallOptions {
  const sent = { [headers.requestId]: request.id, ...more }
  return caller ? { ...asCaller(caller), headers: sent } : { headers: sent }
}

function writeOptionsOf(route: Route, { options, request, reply }: Call): CallOptions {
  const { method, url, body: bytes, headers: sent } = request
  // The hash of a file is known only after its last byte, so `file-parts.ts` sends it.
  const sentBytes = bytes ?? (route.isBodyOptional ? emptyObject : undefined)
  const hash = sentBytes instanceof Uint8Array ? hashOf([method, url, sentBytes]) : null
  const { onlyReplay } = request.admission ?? anonymous
  const added = idempotencyHeaders(sent['idempotency-key'], { hash, onlyReplay })
  return {
    ...options,
    headers: { ...(options.headers as Record<string, string>), ...added },
    onHeader: (answered) => {
      if (answered.get(headers.replayed)) reply.header('Idempotency-Replayed', 'true')
    },
  }
}

/**
 * Returns the payload of an answer, undefined for none. Fastify sends it: a handler that returned
 * the reply instead would wait for the end of the response.
 */
function payloadOf(
  reply: FastifyReply,
  value: unknown,
  { route, query }: { route: Route; query: AnswerQuery },
): unknown {
  const { answer, pagedBy } = route
  // A handler that returns the reply has sent its own answer, which is not JSON.
  if (value === reply) return reply
  if (!answer) return undefined
  if (value instanceof Readable) return payloadOfStream(reply, value)
  const { fields } = query
  const isPage = pagedBy && Array.isArray(value)
  const page = isPage ? pageOf(value, query, { answer, pagedBy, reply }) : value
  const body = fields
    ? JSON.stringify(selectKeys(answer, renderAnswer(answer, page), fields))
    : writeAnswer(answer, page)
  reply.header('content-type', jsonType)
  return tagAnswer(reply, value, { route, body })
}

/** Returns a stream, as JSON unless the handler has set another media type. */
function payloadOfStream(reply: FastifyReply, stream: Readable): Readable | undefined {
  if (!reply.hasHeader('content-type')) reply.header('content-type', jsonType)
  if (reply.request.method !== 'HEAD') return stream
  stream.destroy()
  return undefined
}
