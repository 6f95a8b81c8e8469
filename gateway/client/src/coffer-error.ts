/** Problems of a request: a text, a list of alternatives, or a tree by key of the body. */
export type Problems = string | Problems[] | { [key: string]: Problems }

// Maximum length of the problems in a message: a bulk request may have problems in each item.
const textLengthMax = 500

/** Code of a text, and the values of its sentence by name (docs/api/refusals.md). */
export interface Reason {
  code: string
  params?: Record<string, string>
  /** Code and values of the text that this text quotes as its value `fault`, if it has a code. */
  cause?: Reason
}

/** A fault of one value of a request, of problem details (docs/api/refusals.md). */
export interface Fault extends Partial<Reason> {
  /** Place of the value: a JSON Pointer (RFC 6901) as a URI fragment, such as `#/amount`. */
  pointer: string
  /** The fault, for people. */
  detail: string
}

/**
 * An answer of the server that is not 2xx (docs/api/errors.md), or not JSON, such as the page of a
 * proxy. Its message has the text of the server, with the problems and the hints. Without an
 * answer, the error of fetch is thrown as it is.
 */
export class CofferError extends Error {
  override name = 'CofferError'
  /** Status of HTTP. */
  status: number
  /** Code of the error, where the kind of error has one. */
  code: string | undefined
  problems: Problems | undefined
  /** The text of the server, for people; undefined without one. */
  detail: string | undefined
  /** Values in `detail` by name, if problem details were asked for by `Accept`. */
  params: Record<string, string>
  /** Code and values of the text that `detail` quotes as its value `fault`, if it has a code. */
  underlying: Reason | undefined
  /** The problems as a list with codes, if problem details were asked for by `Accept`. */
  faults: Fault[]
  /** Ways to mend the request, for people. */
  hints: string[]
  /** ID of the request, for the logs of the server. */
  requestId: string | undefined
  /** Seconds after which the request may be sent again. */
  retryAfter: number | undefined
  /** Current tag of the object, if `ifMatch` did not match (412). */
  etag: string | undefined
  headers: Headers
  /** The whole body: parsed JSON, or text. */
  body: unknown

  constructor(response: Response, body: unknown) {
    const {
      error,
      detail = error,
      code,
      params,
      cause,
      problems,
      errors,
      hints = [],
    } = asRefusal(body)
    const faults = problems === undefined ? '' : ` (${textOf(problems)})`
    const advice = hints.length === 0 ? '' : `. Hint: ${hints.join('; ')}`
    super(`${detail ?? textWithout(response)}${faults}${advice}`)
    this.status = response.status
    this.code = code
    this.problems = problems
    this.detail = detail
    this.params = params ?? {}
    this.underlying = cause
    this.faults = errors ?? []
    this.hints = hints
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsOf(response.headers.get('retry-after'))
    this.etag = response.headers.get('etag') ?? undefined
    this.headers = response.headers
    this.body = body
  }
}

/**
 * Changes after the cursor are no longer kept (410): take a new one by `after: 'latest'`, then read
 * all objects again.
 */
export class ChangesRemovedError extends CofferError {
  override name = 'ChangesRemovedError'
}

/** Returns the error for an answer that is not 2xx. */
export function refusalOf(response: Response, body: unknown): CofferError {
  const isRemoval = asRefusal(body).code === 'CHANGES_REMOVED'
  return isRemoval ? new ChangesRemovedError(response, body) : new CofferError(response, body)
}

/** Returns the media type of an answer, without parameters. */
export function mediaTypeOf({ headers }: Response): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Returns the message for an answer without a text of the server. */
function textWithout(response: Response): string {
  const { ok, status } = response
  if (!ok) return `The server answered ${status}.`
  const what = `The answer ${status} is ${mediaTypeOf(response)}, not JSON`
  return `${what}: it may be that of a proxy, or baseUrl is wrong.`
}

/** Returns one line: `amount: must be an integer; name: required key is missing`. */
function textOf(problems: Problems): string {
  const text = faultsOf(problems, '').join('; ')
  return text.length > textLengthMax ? `${text.slice(0, textLengthMax)}…` : text
}

function faultsOf(problems: Problems, path: string): string[] {
  const prefix = path === '' ? '' : `${path}: `
  if (typeof problems === 'string') return [prefix + problems]
  if (Array.isArray(problems)) {
    const alternatives = problems.map((one) => faultsOf(one, ''))
    return [prefix + simplest(alternatives).join(', or ')]
  }
  return Object.entries(problems).flatMap(([key, one]) => {
    if (key === 'oneOf') return faultsOf(one, path)
    return faultsOf(one, path === '' ? key : `${path}.${key}`)
  })
}

/**
 * Returns a text for each alternative of a value. Leaves out an alternative with all faults of
 * another one and more, because the other one is easier to correct to.
 */
function simplest(alternatives: string[][]): string[] {
  const isWorse = (faults: string[], other: string[]) =>
    other.length < faults.length && other.every((fault) => faults.includes(fault))
  return alternatives
    .filter((faults) => !alternatives.some((other) => isWorse(faults, other)))
    .map((faults) => faults.join('; '))
}

interface Refusal {
  error?: string
  detail?: string
  code?: string
  params?: Record<string, string>
  cause?: Reason
  problems?: Problems
  errors?: Fault[]
  hints?: string[]
}

function asRefusal(body: unknown): Refusal {
  return typeof body === 'object' && body !== null ? body : {}
}

/** Parses `Retry-After`: seconds or a date (RFC 9110 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
