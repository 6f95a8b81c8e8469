import { CofferError } from '@coffer/client'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { z } from 'zod'
import { reasonOf } from '../databases.ts'

// The server answers a wait for the set-up of a link after 30 s.
const timeoutMs = 40_000
// Of an answer that is no JSON, such as that of a proxy.
const reasonLengthMax = 200

/** An answer of the REST API that is not 2xx. */
export class Refused extends FatalError {
  status: number
  /** The fault in the words of the server, on one line. */
  reason: string
  constructor(text: string, { status, body }: { status: number; body: string }) {
    super(text)
    this.status = status
    this.reason = reasonIn(body)
  }
}

/** A client of the REST API with one credential. A call throws Refused unless the answer is 2xx. */
export type Rest = {
  get: <T>(path: string, reply: z.ZodType<T>) => Promise<T>
  post: <T>(path: string, body: object | FormData, reply: z.ZodType<T>) => Promise<T>
  patch: (path: string, body: object) => Promise<void>
}

/** Creates a client of the REST API that sends `headers`; `baseUrl` is without `/api`. */
export function createRest(baseUrl: string, headers: Record<string, string> = {}): Rest {
  const call = async (method: string, path: string, body?: object | FormData) => {
    const response = await send(baseUrl, path, { method, headers, body })
    const isJson = response.headers.get('content-type')?.includes('json')
    return isJson ? await response.json() : null
  }
  return {
    get: async (path, reply) => reply.parse(await call('GET', path)),
    post: async (path, body, reply) => reply.parse(await call('POST', path, body)),
    patch: async (path, body) => void (await call('PATCH', path, body)),
  }
}

/** Returns the URL without trailing slashes. Throws FatalError unless a server answers there. */
export async function requireServer(url: string): Promise<string> {
  const baseUrl = url.replace(/\/+$/, '')
  try {
    await createRest(baseUrl).get('/health', z.unknown())
  } catch (error) {
    const { cause } = error as Error
    const reason = reasonOf(cause ?? error)
    throw new FatalError(`No server at ${baseUrl}: ${reason}. Start one with "npm start".`)
  }
  return baseUrl
}

/** Returns the header of HTTP Basic authentication with an API key. */
export function basic(key: { apiKeyId: string; secret: string }): Record<string, string> {
  const pair = Buffer.from(`${key.apiKeyId}:${key.secret}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/** Signs in and returns the header with the session's cookie. Throws Refused if that fails. */
export async function signIn(
  baseUrl: string,
  credentials: { email: string; password: string },
): Promise<Record<string, string>> {
  const request = { method: 'POST', headers: {}, body: credentials }
  const response = await send(baseUrl, '/authentication/login', request)
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return { cookie: cookies.join('; ') }
}

/** Returns whether a call fails with one of these statuses. Rethrows other errors. */
export async function isRefused(call: Promise<unknown>, statuses: number[]): Promise<boolean> {
  try {
    await call
    return false
  } catch (error) {
    const isRefusal = error instanceof Refused || error instanceof CofferError
    if (isRefusal && statuses.includes(error.status)) return true
    throw error
  }
}

async function send(
  baseUrl: string,
  path: string,
  request: {
    method: string
    headers: Record<string, string>
    body?: object | FormData | undefined
  },
): Promise<Response> {
  const { method, headers, body } = request
  const isForm = body instanceof FormData
  const response = await fetch(`${baseUrl}/api${path}`, {
    method,
    headers: { ...headers, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  })
  if (!response.ok) {
    const { status } = response
    const text = await response.text()
    throw new Refused(`${method} ${path}: ${status} ${text}`, { status, body: text })
  }
  return response
}

const Refusal = z.object({
  error: z.string(),
  problems: z.record(z.string(), z.string()).optional().catch(undefined),
})

/** Returns the fault that a refusal states: its problems by field, or else its error. */
export function reasonIn(body: string): string {
  const { data } = Refusal.safeParse(readJson(body))
  if (!data) return body.replaceAll(/\s+/g, ' ').slice(0, reasonLengthMax)
  const problems = Object.entries(data.problems ?? {}).map(([field, text]) => `${field} ${text}`)
  return problems.join(', ') || data.error
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
