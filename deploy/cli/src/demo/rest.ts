import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import type { z } from 'zod'

const timeoutMs = 30_000

/** An answer of the REST API that is not 2xx. */
export class Refused extends FatalError {
  status: number
  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** A client of the REST API with one credential. Each call throws {@link Refused}. */
export type Rest = {
  get: <T>(path: string, reply: z.ZodType<T>) => Promise<T>
  post: <T>(path: string, body: object | FormData, reply: z.ZodType<T>) => Promise<T>
  patch: (path: string, body: object) => Promise<void>
  /** The same API with other headers. */
  as: (headers: Record<string, string>) => Rest
}

/**
 * Creates a client of the REST API.
 *
 * @param baseUrl without `/api`
 */
export function openRest(baseUrl: string, headers: Record<string, string> = {}): Rest {
  const call = async (method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: { ...headers, ...(body && !isForm ? { 'content-type': 'application/json' } : {}) },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (!response.ok) {
      throw new Refused(response.status, `${method} ${path}: ${response.status} ${text}`)
    }
    return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null
  }
  return {
    get: async (path, reply) => reply.parse(await call('GET', path)),
    post: async (path, body, reply) => reply.parse(await call('POST', path, body)),
    patch: async (path, body) => void (await call('PATCH', path, body)),
    as: (other) => openRest(baseUrl, other),
  }
}

/** HTTP Basic authentication with an API key. */
export function basic(key: { apiKeyId: string; secret: string }): Record<string, string> {
  const pair = Buffer.from(`${key.apiKeyId}:${key.secret}`).toString('base64')
  return { authorization: `Basic ${pair}` }
}

/**
 * Signs in and returns the header with the session's cookie.
 *
 * @throws {Refused} when the answer is not 2xx
 */
export async function signIn(
  baseUrl: string,
  credentials: { email: string; password: string },
): Promise<Record<string, string>> {
  const path = '/authentication/login'
  const response = await fetch(`${baseUrl}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok) {
    throw new Refused(response.status, `POST ${path}: ${response.status}`)
  }
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  return { cookie: cookies.join('; ') }
}
