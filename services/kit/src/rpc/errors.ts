import { create } from '@bufbuild/protobuf'
import {
  type Problems as ProblemsDetail,
  ProblemsSchema,
  RefusalSchema,
} from '@coffer/proto/options/v1/options'
import { Code, ConnectError } from '@connectrpc/connect'
import { say } from '../reasons/reasons.ts'

/** Validation errors by field, nested like the request. The leaves are texts for the user. */
export interface Problems {
  [field: string]: string | Problems
}

/** Creates the 400 of an invalid request, with error texts by field (docs/api/errors.md). */
export function invalid(problems: Problems, text = say('INVALID_REQUEST')): ConnectError {
  return withProblems(text, { code: Code.InvalidArgument, problems })
}

function withProblems(
  text: string,
  { code, problems }: { code: Code; problems: Problems },
): ConnectError {
  const detail = create(ProblemsSchema, { problems: flatten(problems, []) })
  return new ConnectError(text, code, undefined, [{ desc: ProblemsSchema, value: detail }])
}

/** Error texts of the 401 responses, by the stable code that clients receive (docs/security.md). */
export const credentialRefusals = {
  CREDENTIAL_REQUIRED: say('CREDENTIAL_REQUIRED'),
  API_KEY_UNKNOWN: say('API_KEY_UNKNOWN'),
  SESSION_REQUIRED: say('SESSION_REQUIRED'),
  SESSION_ENDED: say('SESSION_ENDED'),
  MFA_REQUIRED: say('MFA_REQUIRED'),
  MFA_NOT_PENDING: say('MFA_NOT_PENDING'),
  WRONG_CREDENTIALS: say('WRONG_CREDENTIALS'),
} as const

export type CredentialRefusal = keyof typeof credentialRefusals

/** Creates the 401 of a missing or invalid session or API key, with its stable code. */
export function unauthenticated(code: CredentialRefusal): ConnectError {
  const refusal = create(RefusalSchema, { status: 401, code })
  return new ConnectError(credentialRefusals[code], Code.Unauthenticated, undefined, [
    { desc: RefusalSchema, value: refusal },
  ])
}

const expired = 'caller token has expired'
const early = 'caller token is from the future'

/** Header of the response that refuses a caller token: another replica may accept it. */
export const callerRefusedHeader = 'coffer-caller-refused'

/**
 * Creates the error of an invalid caller token between services, whose clocks or signing keys
 * differ; `isCallerRefused` distinguishes it from a 401 of the client.
 */
export function callerRefused(text: string): ConnectError {
  return new ConnectError(text, Code.Unauthenticated, { [callerRefusedHeader]: 'true' })
}

/** Creates the error of a caller token that has expired by the clock of the service. */
export function callerExpired(): ConnectError {
  return callerRefused(expired)
}

/** Creates the error of a caller token that is not valid yet by the clock of the service. */
export function callerEarly(): ConnectError {
  return callerRefused(early)
}

/** Returns whether an error means that clocks differ, not signing keys. */
export function isCallerExpired(error: unknown): boolean {
  return isCallerRefused(error) && [expired, early].includes(ConnectError.from(error).rawMessage)
}

/** Returns whether an error means an invalid caller token, and not a 401 of the client. */
export function isCallerRefused(error: unknown): boolean {
  return (
    error instanceof ConnectError &&
    error.code === Code.Unauthenticated &&
    refusalOf(error) === null
  )
}

/** Creates the 403 of a caller without permission. */
export function forbidden(text: string): ConnectError {
  return new ConnectError(text, Code.PermissionDenied)
}

/** Creates the 404 of an object that does not exist in the caller's account. `noun`: its kind. */
export function notFound(noun: string, text = say('NOT_FOUND', { object: noun })): ConnectError {
  return new ConnectError(text, Code.NotFound)
}

/** Creates the 400 of a name or identifier that another object already uses. */
export function duplicate(noun: string, problems: Problems): ConnectError {
  const text = say('SIMILAR_EXISTS', { object: noun })
  return withProblems(text, { code: Code.AlreadyExists, problems })
}

/** HTTP status and code of an error that is not a plain 400. */
export interface Refused {
  status: number
  /** Stable error code on which clients can branch. */
  code?: string
  /** Value of the Retry-After header, in seconds. */
  retryAfterSeconds?: number
}

/**
 * Creates the error of a request that the current state does not allow: 400, or the given status
 * and code (docs/api/errors.md#statuses).
 */
export function refused(text: string, refusal?: Refused): ConnectError {
  const details = refusal ? [{ desc: RefusalSchema, value: create(RefusalSchema, refusal) }] : []
  return new ConnectError(text, Code.FailedPrecondition, undefined, details)
}

/** Creates the 503 of a full queue or a dependency that is down: nothing was done. */
export function unavailable(text: string): ConnectError {
  return new ConnectError(text, Code.Unavailable)
}

/**
 * Creates the 504 of a call without an answer. A write may be done; a retry with the same
 * Idempotency-Key is safe.
 */
export function unanswered(text: string): ConnectError {
  return new ConnectError(text, Code.DeadlineExceeded)
}

/** The error of a refused request; its message is shown to the client. */
export type Refusal = ConnectError

/**
 * Wraps the result of a function, or the refusal (client error) that it threw. Rethrows other
 * errors.
 */
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

const transientCodes = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.ResourceExhausted,
  Code.Aborted,
]

/**
 * Returns whether a retry of the same request may succeed. False for an error that is no
 * ConnectError: `knownError` maps those of the database, any other is a bug.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof ConnectError && transientCodes.includes(error.code)
}

/** Returns the validation errors by field that an error carries, or null. */
export function problemsOf(error: ConnectError): Problems | null {
  const [detail] = error.findDetails(ProblemsSchema)
  return detail ? problemsOfDetail(detail) : null
}

/** Converts the flat list of a protobuf error detail into a tree of validation errors. */
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

/** Returns the HTTP status and code that an error carries, or null. Unset fields are 0 or empty. */
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

// Without a prototype, because a field may be named `__proto__`.
function emptyTree(): Problems {
  return Object.create(null)
}
