import { refused } from '@coffer/kit/rpc/errors'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { z } from 'zod'
import type { Feature } from '../auth/features.ts'
import type { Answer } from './openapi.ts'

/**
 * Who may call a route (spec/identity.md 1.2). Of each class: whether API keys are accepted,
 * whether the subscription must be active, and whether a session may owe its second factor.
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

/** The names after colons in a path, each an ID of the kind its name says. */
type ParamsOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Record<Name, string> & ParamsOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Record<Name, string>
    : unknown

/** What is needed to look at something on a caller's behalf. */
export interface Lookup<Params = unknown> {
  params: Params
  /** Options that pass the caller and the request ID to a service. */
  options: CallOptions
}

/** A request as a handler gets it: checked, and ready to be passed on. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> extends Lookup<Params> {
  /** Whose request it is; empty without a credential. */
  accountId: string
  query: Query
  body: Body
  /** Options of the one write of the request: with its Idempotency-Key, if there is one. */
  writeOptions: CallOptions
  /** Options with a caller token of now, for work that outlasts one. Throws unauthenticated. */
  renewOptions: () => Promise<CallOptions>
  request: FastifyRequest
  reply: FastifyReply
}

/** A socket as its handler gets it: open, and known to be allowed. */
export interface SocketCall<Params = unknown> extends Lookup<Params> {
  socket: WebSocket
  /** Whose socket it is. */
  accountId: string
  /** Options with a caller token of now. Throws unauthenticated once the credential has ended. */
  renewOptions: () => Promise<CallOptions>
}

/** The methods a route answers: HEAD is GET of which the HTTP server drops the body. */
export function methodsOf({ method, socket }: Route): (Route['method'] | 'HEAD')[] {
  return method === 'GET' && !socket ? ['GET', 'HEAD'] : [method]
}

interface Definition<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: Path
  summary: string
  auth: AuthClass
  /** The optional feature it belongs to; 404 where that is off. */
  feature?: Feature
  query?: Query
  body?: Body
  /** No body counts as an empty object. */
  isBodyOptional?: boolean
  /** The body is a multipart form; its file part has this name and is what the handler gets. */
  file?: string
  /** A POST that changes nothing, so that keys that may only read are let through. */
  reads?: boolean
  /** Takes an Idempotency-Key. */
  idempotent?: boolean
  /** Fails for a missing object; asked before a bad body is reported and a socket is opened. */
  find?: (lookup: Lookup<ParamsOf<Path>>) => Promise<unknown>
  /** The answer has a Link header where a next page may follow. */
  isPaged?: boolean
  /** What 200 answers with, for the reference; empty where it is missing. */
  answer?: Answer
  /** The media type that 200 has instead of JSON where a client prefers it. */
  alternative?: string
  /** Returns what is sent as JSON; undefined is an empty body, the reply one that is sent. */
  handler: (
    call: Call<ParamsOf<Path>, z.output<Query>, z.output<Body>>,
  ) => unknown | Promise<unknown>
}

/** A route with its types left behind, as lists of routes hold it. */
export interface Route extends Omit<Definition<string, z.ZodType, z.ZodType>, 'handler' | 'find'> {
  find?: (lookup: Lookup) => Promise<unknown>
  handler: (call: Call) => unknown | Promise<unknown>
  socket?: (call: SocketCall) => Promise<void>
}

/** Declares a route; its path, query and body types reach the handler. */
export function route<
  const Path extends string,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Definition<Path, Query, Body>): Route {
  return definition as unknown as Route
}

/** Declares a GET that upgrades to a WebSocket. */
export function socketRoute<const Path extends string>(
  definition: Omit<Definition<Path, z.ZodUndefined, z.ZodUndefined>, 'method' | 'handler'> & {
    socket: (call: SocketCall<ParamsOf<Path>>) => Promise<void>
  },
): Route {
  return { method: 'GET', handler: refuseHttp, ...definition } as unknown as Route
}

function refuseHttp(): never {
  throw refused('this path is a WebSocket: send an upgrade request')
}
