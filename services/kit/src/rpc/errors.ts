import { create } from '@bufbuild/protobuf'
import {
  type Problems as ProblemsDetail,
  ProblemsSchema,
  RefusalSchema,
} from '@coffer/proto/options/v1/options'
import { Code, ConnectError } from '@connectrpc/connect'

/** What is wrong with a request, by field; leaves are texts a client may show. */
export interface Problems {
  [field: string]: string | Problems
}

/**
 * A request that breaks a rule: 400 with `problems` (spec/interface.md, Errors 2), and with `text`
 * where the specification words the error.
 */
export function invalid(problems: Problems, text = 'Invalid request'): ConnectError {
  return withProblems(text, { code: Code.InvalidArgument, problems })
}

function withProblems(
  text: string,
  { code, problems }: { code: Code; problems: Problems },
): ConnectError {
  const detail = create(ProblemsSchema, { problems: flatten(problems, []) })
  return new ConnectError(text, code, undefined, [{ desc: ProblemsSchema, value: detail }])
}

/** Why a credential is refused, by the stable code of the 401 (`docs/security.md`). */
export const credentialRefusals = {
  CREDENTIAL_REQUIRED: 'unauthorized: the request has no credential',
  API_KEY_UNKNOWN: 'unauthorized: the API key is not known, has expired or was revoked',
  SESSION_REQUIRED: 'unauthorized: this takes a session, not an API key',
  SESSION_ENDED: 'unauthorized: the session is not known or has ended: sign in again',
  MFA_REQUIRED: 'unauthorized: the sign-in is not finished: a code is required',
  MFA_NOT_PENDING: 'unauthorized: no sign-in is waiting for a code',
  WRONG_CREDENTIALS: 'wrong email or password',
} as const

export type CredentialRefusal = keyof typeof credentialRefusals

/** A credential of the client that is missing or not accepted: 401 with its stable code. */
export function unauthenticated(code: CredentialRefusal): ConnectError {
  const refusal = create(RefusalSchema, { status: 401, code })
  return new ConnectError(credentialRefusals[code], Code.Unauthenticated, undefined, [
    { desc: RefusalSchema, value: refusal },
  ])
}

/**
 * A caller token that a service does not accept: its caller has another clock or other keys. It
 * says nothing of the client's credential, so `isCallerRefused` tells the two apart.
 */
export function callerRefused(text: string): ConnectError {
  return new ConnectError(text, Code.Unauthenticated)
}

export function isCallerRefused(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    error.code === Code.Unauthenticated &&
    refusalOf(error) === null
  )
}

/** A caller that may not do this: 403. */
export function forbidden(text: string): ConnectError {
  return new ConnectError(text, Code.PermissionDenied)
}

/** No such object in the caller's account: 404. `noun` is the object in plain words. */
export function notFound(noun: string, text = `${noun}: record does not exist`): ConnectError {
  return new ConnectError(text, Code.NotFound)
}

/** Another object has the same name or identifier: 400, with the field that is taken. */
export function duplicate(noun: string, problems: Problems): ConnectError {
  const text = `${noun}: a similar object already exists`
  return withProblems(text, { code: Code.AlreadyExists, problems })
}

/** Why and how a request is refused, where 400 does not say it. */
export interface Refused {
  /** HTTP status the specification names. */
  status: number
  /** Stable code clients branch on. */
  code?: string
  /** When the same request may be let through. */
  retryAfterSeconds?: number
}

/**
 * A well-formed request that the state of things does not allow: 400, or the status the
 * specification names, with its stable code.
 */
export function refused(text: string, refusal?: Refused): ConnectError {
  const details = refusal ? [{ desc: RefusalSchema, value: create(RefusalSchema, refusal) }] : []
  return new ConnectError(text, Code.FailedPrecondition, undefined, details)
}

/** A dependency is down or a queue is full, and nothing was done: 503 with `Retry-After`. */
export function unavailable(text: string): ConnectError {
  return new ConnectError(text, Code.Unavailable)
}

/** No answer came: 504. A write may have been carried out; its Idempotency-Key tells. */
export function unanswered(text: string): ConnectError {
  return new ConnectError(text, Code.DeadlineExceeded)
}

/** Whether no answer came, be it in time or before the connection was lost. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.DeadlineExceeded
}

/** A request that is not done, with what its client is told. */
export type Refusal = ConnectError

/** What a decision comes to, or the refusal that it throws; any other fault goes on. */
export function settledOrRefused<Result>(
  decide: () => Result,
): { result: Result } | { refusal: Refusal } {
  try {
    return { result: decide() }
  } catch (error) {
    if (error instanceof ConnectError) return { refusal: error }
    throw error
  }
}

/** Whether a retry may succeed without anything else changing. */
export function isTransient(error: unknown): boolean {
  const transient = [Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted, Code.Aborted]
  return !(error instanceof ConnectError) || transient.includes(error.code)
}

/** The tree of problems an error carries, or null where it carries none. */
export function problemsOf(error: ConnectError): Problems | null {
  const [detail] = error.findDetails(ProblemsSchema)
  return detail ? problemsOfDetail(detail) : null
}

/** The tree that a detail carries. */
export function problemsOfDetail({ problems }: Pick<ProblemsDetail, 'problems'>): Problems {
  const tree = emptyTree()
  for (const { path, message } of problems) {
    let branch = tree
    for (const field of path.slice(0, -1)) {
      const below = branch[field]
      const next = typeof below === 'object' ? below : emptyTree()
      branch[field] = next
      branch = next
    }
    branch[path.at(-1) ?? ''] = message
  }
  return tree
}

/** How an error refuses, or null where it carries nothing about it; 0 and empty are not set. */
export function refusalOf(error: ConnectError): Required<Refused> | null {
  return error.findDetails(RefusalSchema)[0] ?? null
}

function flatten(problems: Problems, path: string[]): { path: string[]; message: string }[] {
  return Object.entries(problems).flatMap(([field, problem]) =>
    typeof problem === 'string'
      ? [{ path: [...path, field], message: problem }]
      : flatten(problem, [...path, field]),
  )
}

// Without a prototype: a field may be called `__proto__` like any other.
function emptyTree(): Problems {
  return Object.create(null)
}
