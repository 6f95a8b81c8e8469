import { type Coffer, createClient } from '@coffer/client'
import { newId } from '@coffer/kit/values/id'
import { requireDocumented } from './answer-check.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests check REST answers field by field
export type Json = any

export interface Answer {
  status: number
  headers: Headers
  body: Json
}

export interface CallOptions {
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
  /** Whether the request has the session cookie instead of the API key. */
  asSession?: boolean
}

/** A registered person as a client of the REST API, with a session and an API key. */
export interface Person {
  email: string
  password: string
  cookie: string
  authorization: string
  accountId: string
  /** The typed client of the API, with the API key. */
  client: Coffer
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** Sends a GET request. Returns the body of the answer; throws if the status is not 2xx. */
  get: (path: string) => Promise<Json>
  post: (path: string, body: unknown) => Promise<Json>
  patch: (path: string, body: unknown) => Promise<Json>
  /** Creates a manual link with a bank account of this balance (minor units). */
  createBankAccount: (amount?: number) => Promise<{ linkId: string; path: string; id: string }>
}

/** Sends one request. Parses a JSON body of the answer; an empty body is null. */
export async function call(
  baseUrl: string,
  method: string,
  path: string,
  { body, form, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/api${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(form ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  const answer = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : isJson ? JSON.parse(text) : text,
  }
  requireDocumented({ baseUrl, method, path }, answer)
  return answer
}

export interface PersonChoices {
  timezone?: string
  locale?: string
  /** Opens the link in the mail to this address; called if addresses must be verified. */
  verify?: (email: string) => Promise<void>
}

/** Registers a person, signs in and creates an API key. */
export async function newPerson(
  baseUrl: string,
  { timezone = 'America/Chicago', locale = 'en_US', verify }: PersonChoices = {},
): Promise<Person> {
  const email = `${newId('person')}@example.com`
  const password = 'a long enough password'
  const body = { email, password, firstName: 'Pat', lastName: 'Doe', timezone, locale }
  let begun = succeeded(await call(baseUrl, 'POST', '/authentication/register', { body }))
  if (verify && begun.body.requireVerification) {
    await verify(email)
    const credentials = { body: { email, password } }
    begun = succeeded(await call(baseUrl, 'POST', '/authentication/login', credentials))
  }
  const cookie = cookieOf(begun)
  const me = succeeded(await call(baseUrl, 'GET', '/users/me', { headers: { cookie } }))
  const keys = { body: { name: 'test' }, headers: { cookie } }
  const { apiKeyId, secret } = succeeded(await call(baseUrl, 'POST', '/keys', keys)).body
  const authorization = `Basic ${Buffer.from(`${apiKeyId}:${secret}`).toString('base64')}`
  const person: Person = {
    email,
    password,
    cookie,
    authorization,
    accountId: me.body.user.accountId,
    client: createClient({ baseUrl, key: { apiKeyId, secret } }),
    call: (method, path, options = {}) => {
      const credential: Record<string, string> = options.asSession ? { cookie } : { authorization }
      const headers = { ...credential, ...options.headers }
      return call(baseUrl, method, path, { ...options, headers })
    },
    get: async (path) => succeeded(await person.call('GET', path)).body,
    post: async (path, body) => succeeded(await person.call('POST', path, { body })).body,
    patch: async (path, body) => succeeded(await person.call('PATCH', path, { body })).body,
    createBankAccount: async (amount = 100_000) => {
      const { linkId } = await person.post('/links', { institutionName: 'First Bank' })
      const { bankAccountId: id } = await person.post('/bank_accounts', {
        linkId,
        name: 'Checking',
        availableBalance: amount,
        currentBalance: amount,
      })
      return { linkId, id, path: `/bank_accounts/${id}` }
    },
  }
  return person
}

/** Returns the `Cookie` header with the cookies that an answer sets. */
export function cookieOf({ headers }: Answer): string {
  const all = headers.getSetCookie().map((one) => one.split(';')[0])
  return all.join('; ')
}

/** Returns the answer; throws an error with its body if the status is not 2xx. */
function succeeded(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
}
