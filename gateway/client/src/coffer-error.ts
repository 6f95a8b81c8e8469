/** Problems of a request: a text, a list of alternatives, or a tree by key of the body. */
export type Problems = string | Problems[] | { [key: string]: Problems }

/**
 * An answer of the server that is not 2xx (docs/api/errors.md). Without an answer, the error of
 * fetch is thrown as it is.
 */
export class CofferError extends Error {
  override name = 'CofferError'
  /** Status of HTTP. */
  status: number
  /** Code of the error, where the kind of error has one. */
  code: string | undefined
  problems: Problems | undefined
  /** ID of the request, for the logs of the server. */
  requestId: string | undefined
  /** Seconds after which the request may be sent again. */
  retryAfter: number | undefined
  /** Current tag of the object, if `ifMatch` did not match (412). */
  etag: string | undefined
  /** The whole body: parsed JSON, or text. */
  body: unknown

  constructor(response: Response, body: unknown) {
    const { error, code, problems } = asRefusal(body)
    super(error ?? `The server answered ${response.status}.`)
    this.status = response.status
    this.code = code
    this.problems = problems
    this.requestId = response.headers.get('x-request-id') ?? undefined
    this.retryAfter = secondsOf(response.headers.get('retry-after'))
    this.etag = response.headers.get('etag') ?? undefined
    this.body = body
  }
}

function asRefusal(body: unknown): { error?: string; code?: string; problems?: Problems } {
  return typeof body === 'object' && body !== null ? body : {}
}

/** Parses `Retry-After`: seconds or a date (RFC 9110 10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
