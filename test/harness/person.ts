import {
  type ClientOptions,
  type Coffer,
  CofferError,
  createClient,
  sessionOf,
} from '@coffer/client'
import { newId } from '@coffer/kit/values/id'
import {
  type Answer,
  fetchDocumented,
  type Json,
  readAnswer,
  requireDocumented,
} from './answer-check.ts'

export type { Answer, Json }

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
  /** Typed client of the API with the API key. */
  client: Coffer
  /** Creates another client with the API key. */
  connect: (options: Partial<ClientOptions>) => Coffer
  /** Typed client with the session, for the operations that accept no API key. */
  session: Coffer
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** Sends a GET request. Returns the body of the answer; throws if the status is not 2xx. */
  get: (path: string) => Promise<Json>
  post: (path: string, body: unknown) => Promise<Json>
  patch: (path: string, body: unknown) => Promise<Json>
  /** Creates a manual link with a bank account of this balance (minor units). */
  createBankAccount: (amount?: number) => Promise<CreatedBankAccount>
}

/** Options of a typed call about a bank account. */
export interface Bank {
  path: { bankAccountId: string }
}

export interface CreatedBankAccount {
  id: string
  linkId: string
  /** Path of the bank account, for `call` and `get`. */
  path: string
  bank: Bank
}

/** Creates a typed client whose answers are compared with the OpenAPI document. */
export function clientOf(baseUrl: string, options: Partial<ClientOptions> = {}): Coffer {
  return createClient({ baseUrl, fetch: fetchDocumented(baseUrl), ...options })
}

/** Returns the status of the answer to a typed call, also of a refusal. */
export async function statusOf(call: Promise<{ response: Response }>): Promise<number> {
  try {
    return (await call).response.status
  } catch (error) {
    if (error instanceof CofferError) return error.status
    throw error
  }
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
  const answer = await readAnswer(response)
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
  const visitor = clientOf(baseUrl)
  const body = { email, password, firstName: 'Pat', lastName: 'Doe', timezone, locale }
  const registered = await visitor.registerAccount({ body })
  let cookie = sessionOf(registered)
  if (verify && registered.data.requireVerification) {
    await verify(email)
    cookie = sessionOf(await visitor.signIn({ body: { email, password } }))
  }
  const session = clientOf(baseUrl, { session: cookie })
  const { user } = (await session.getMe()).data
  const key = (await session.createApiKey({ body: { name: 'test' } })).data
  const authorization = basicOf(key)
  const connect = (options: Partial<ClientOptions> = {}) => clientOf(baseUrl, { key, ...options })
  const person: Person = {
    email,
    password,
    cookie,
    authorization,
    accountId: user.accountId,
    client: connect(),
    connect,
    session,
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
      return { linkId, id, path: `/bank_accounts/${id}`, bank: { path: { bankAccountId: id } } }
    },
  }
  return person
}

/** Returns the `Cookie` header with the cookies that an answer sets. */
export function cookieOf(answer: Answer): string {
  return sessionOf({ response: answer })
}

/** Returns the `Authorization` header with an API key, as its creation answers it. */
export function basicOf({ apiKeyId, secret }: { apiKeyId: string; secret?: string }): string {
  return `Basic ${btoa(`${apiKeyId}:${secret}`)}`
}

/** Returns the answer; throws an error with its body if the status is not 2xx. */
function succeeded(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
}
