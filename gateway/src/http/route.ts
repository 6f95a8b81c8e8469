import type { Readable } from 'node:stream'
import { refused } from '@coffer/kit/rpc/errors'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { z } from 'zod'
import type { Answer, OtherAnswer, ValueOf } from './answers/answer.ts'
import type { HeaderName } from './answers/headers.ts'
import type { Tag } from './tags.ts'

/**
 * Authentication classes of routes (docs/security.md#who-may-do-what). `key`: accepts API keys.
 * `paid`: the account must be paid up. `pending`: true accepts pending sessions, false all others.
 */
export const authClasses = {
  none: { key: false, paid: false, pending: [true, false] },
  me: { key: true, paid: false, pending: [true, false] },
  multifactor: { key: false, paid: false, pending: [true] },
  session: { key: false, paid: false, pending: [false] },
  paidSession: { key: false, paid: true, pending: [false] },
  key: { key: true, paid: true, pending: [false] },
} as const satisfies Record<string, { key: boolean; paid: boolean; pending: readonly boolean[] }>

export type AuthClass = keyof typeof authClasses

/** Parts of the REST interface that the settings of a server can switch off. */
export type Feature = 'uploads' | 'feed' | 'aggregator' | 'aggregatorWebhooks' | 'billing'

/** Attempts that a rate limit counts: all, or only those that a service refuses. */
export type Counting = 'all' | 'refused'

/** The path parameters of a route; each name states the kind of its ID. */
type ParamsOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Record<Name, string>
    : unknown

/** Input of a read on behalf of the caller. */
export interface Lookup<Params = unknown> {
  params: Params
  /** Call options with caller token and request ID. */
  options: CallOptions
}

/** Input of a handler: a request that passed admission control and validation. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> extends Lookup<Params> {
  /** ID of the caller's account; empty without a credential. */
  accountId: string
  /** IANA name of the account's timezone; empty without a credential. */
  timezone: string
  query: Query
  body: Body
  /** Call options of the request's only write: they carry its idempotency key, if any. */
  writeOptions: CallOptions
  /**
   * Returns call options with a new caller token, because tokens expire during long-running work.
   * Throws unauthenticated if the credential has ended.
   */
  renewOptions: () => Promise<CallOptions>
  request: FastifyRequest
  reply: FastifyReply
}

/** Input of a socket's handler: the socket is open and has passed admission control. */
export interface SocketCall<Params = unknown> extends Lookup<Params> {
  socket: WebSocket
  accountId: string
  /**
   * Returns call options with a new caller token. Throws unauthenticated if the credential has
   * ended.
   */
  renewOptions: () => Promise<CallOptions>
}

/** Method and path of a route or page, by which requests are routed. */
export type RoutedPath = Pick<Route, 'method' | 'path'>

/** Returns the methods of a route. GET routes also answer HEAD: the server drops the body. */
export function methodsOf({ method }: RoutedPath): (Route['method'] | 'HEAD')[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

/**
 * Returns whether a route refuses unknown query parameters. With a misspelt one, a filtered list
 * would answer with everything, and a write would do something else than was meant. Other systems
 * choose the parameters of webhooks.
 */
export function refusesUnknownQuery({ method, isFiltered, webhook }: Route): boolean {
  return isFiltered || (method !== 'GET' && webhook === undefined)
}

/** Returns whether answers of a route have an ETag and may be 304: JSON answers to GET. */
export function isTaggedRead({ method, answer, socket, isStreamed }: Route): boolean {
  return method === 'GET' && answer !== undefined && !socket && !isStreamed
}

type Handled<Shape> = FastifyReply | Readable | (Shape extends Answer ? ValueOf<Shape> : unknown)

interface Definition<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Shape extends Answer | undefined,
> {
  /** Name of the operation for clients (`operationId`): verb and noun in camel case, unique. */
  id: string
  /** Group of the operation in the OpenAPI document. */
  tag: Tag
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: Path
  /** One line for lists of operations. */
  summary: string
  /** Facts that the summary lacks, in Markdown; it may name pages of `docs/`. */
  description: string
  /**
   * Version of Coffer in which the operation first appeared: it is stable from then on. `preview`:
   * it may still change in ways that break clients.
   */
  since: `${number}.${number}.${number}` | 'preview'
  auth: AuthClass
  /** The optional feature that the route belongs to; 404 or 406 if it is off. */
  feature?: Feature
  query?: Query
  /** The list has filters, so unknown query parameters are refused, as for writes. */
  isFiltered?: true
  body?: Body
  /** A missing body counts as an empty object. */
  isBodyOptional?: boolean
  /** The body is a multipart form; the handler receives the file part with this name. */
  file?: string
  /**
   * Schemas of other parts of the form, only for the OpenAPI document: the handler parses these
   * parts.
   */
  formParts?: { [name: string]: z.ZodType }
  /** A GET with an effect, so CSRF checks apply as for other methods. */
  hasEffect?: boolean
  /** A POST without effects, so API keys with scope `read` may call it. */
  reads?: boolean
  /** Rate limit by network: counts every call, or only those that a service refuses. */
  attempts?: Counting | ((body: z.output<Body>) => Counting)
  /** Accepts an Idempotency-Key. */
  idempotent?: boolean
  /**
   * Gets the object of the path. Called before an invalid body is reported and before a socket
   * opens, so that a missing object is 404. Throws notFound.
   */
  find?: (lookup: Lookup<ParamsOf<Path>>) => Promise<unknown>
  /** Name of the ID by which the list is ordered, so that clients may page it. */
  pagedBy?: { id: string; newestFirst: boolean }
  /** The answer has a Link header if a next page may follow. */
  isPaged?: boolean
  /** Status of a success, if it is not 200. */
  success?: 202 | 204
  /** The answer is a stream: it has no ETag. */
  isStreamed?: true
  /**
   * The clients of this route wait for events, so a slow answer does no harm: while the service
   * identity does not answer, the check of the credential is retried before the answer is 503.
   */
  isPatient?: true
  /** Headers of a success that the declaration does not imply. */
  headers?: readonly HeaderName[]
  /**
   * Answers by status that the declaration does not imply (docs/api/errors.md). A text describes a
   * refusal with the usual body, or an answer without content.
   */
  answers?: { readonly [status: number]: string | OtherAnswer }
  /**
   * The request is a webhook of another system: JSON, with its signature in the header of this
   * name.
   */
  webhook?: string
  /** Requests for one object are throttled: 425 with Retry-After if one follows too soon. */
  isThrottled?: boolean
  /**
   * The answer shows one object with its strong ETag: `true` for the whole answer, or the key of
   * the part that is the object (docs/api/conditional-requests.md).
   */
  tagged?: true | string
  /** Accepts `If-Match` with the ETag of a GET of the same path. */
  isConditional?: boolean
  /**
   * Gets the version of the bank account whose list or balances the GET shows, to answer 304
   * cheaply.
   */
  versionOf?: (lookup: Lookup<ParamsOf<Path>>) => Promise<bigint>
  /** Shape of the answer with status 200; without a shape, it has no body. */
  answer?: Shape
  /** The answer contains a new secret, so it is never compressed (BREACH). */
  hasSecret?: true
  /** Media type that a client may prefer to JSON for the answer with status 200. */
  alternative?: string
  /** Returns the value of the answer, or the reply if the handler has sent it. */
  handler: (
    call: Call<ParamsOf<Path>, z.output<Query>, z.output<Body>>,
  ) => Handled<Shape> | Promise<Handled<Shape>>
}

/** A route without its generic types, for lists of routes. */
export interface Route
  extends Omit<
    Definition<string, z.ZodType, z.ZodType, Answer>,
    'handler' | 'find' | 'versionOf' | 'attempts'
  > {
  attempts?: Counting | ((body: unknown) => Counting)
  find?: (lookup: Lookup) => Promise<unknown>
  versionOf?: (lookup: Lookup) => Promise<bigint>
  handler: (call: Call) => unknown | Promise<unknown>
  socket?: (call: SocketCall) => Promise<void>
  /** Shapes of the frames that the WebSocket sends. */
  frames?: readonly Answer[]
}

/** Declares a route, and infers the handler's types of path, query and body. */
export function route<
  const Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  const Shape extends Answer | undefined = undefined,
>(definition: Definition<Path, Query, Body, Shape>): Route {
  return definition as unknown as Route
}

/** Declares a GET route that upgrades to a WebSocket (RFC 6455). */
export function socketRoute<const Path extends string>(
  definition: Omit<
    Definition<Path, z.ZodUndefined, z.ZodUndefined, undefined>,
    'method' | 'handler'
  > & {
    socket: (call: SocketCall<ParamsOf<Path>>) => Promise<void>
    frames: Route['frames']
  },
): Route {
  return { method: 'GET', handler: refuseHttp, ...definition } as unknown as Route
}

function refuseHttp(): never {
  throw refused('this path is a WebSocket: send a handshake over HTTP/1.1, without a body')
}
