import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { type Answer, createFaultList, type FaultList, sendFaulty } from '../faults.ts'
import { listen } from '../http-server.ts'
import { createEndpoints, type PlaidState } from './endpoints.ts'
import { errorBody, errorStatus, newRequestId, PlaidRefusal } from './errors.ts'
import { createInstitution, type PlaidInstitution } from './institutions.ts'
import type { NewItem, PlaidItem, StoredItem } from './item.ts'
import { createItems } from './items.ts'
import { createLimiter, type Limit } from './limits.ts'
import { serveLinkPages } from './link-pages.ts'
import { createWebhookKeys } from './webhook-keys.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/** A request with its answer. */
export interface PlaidCall {
  path: string
  /** Header `Plaid-Version`. */
  version: string
  /** Body of the request; undefined if it was not JSON. */
  request: Record<string, unknown> | undefined
  /** Status of the right answer; 0 if a fault came before it. */
  status: number
  /** Body of the right answer; null unless answers are recorded. */
  answer: unknown
}

/** A simulated server of Plaid, with the part of its API that Coffer uses. */
export interface Plaid extends AsyncDisposable {
  /** Base URL, such as `http://127.0.0.1:4036`. */
  url: string
  /** The only keys that the server accepts, in headers or in the body. */
  clientId: string
  secret: string
  /** All requests so far. */
  calls: PlaidCall[]
  /** Institutions by ID: `ins_109508` unless a test adds more. */
  institutions: Map<string, PlaidInstitution>
  /**
   * Users by the field `override_username` of `/sandbox/public_token/create`. The function fills
   * the new item. `user_good`, the default, has a checking and a savings account.
   */
  users: Map<string, (item: PlaidItem) => void>
  webhooks: Webhooks
  /** Limits by path, by default none. `productionLimits` are those of Plaid. */
  limits: Map<string, Limit>
  fault: FaultList['fault']
  /** Creates an item. */
  createItem: (of?: NewItem) => PlaidItem
  /** Returns an item. @throws {Error} if there is none */
  item: (itemId: string) => PlaidItem
  /** Returns all items, removed ones too. */
  items: () => readonly PlaidItem[]
  /** Returns a public token of an item, as at the end of Link. */
  createPublicToken: (item: PlaidItem) => string
  /**
   * Completes Link with a link token, without the browser. In update mode the error of the item
   * ends, and `renews` gives it another access token. Returns the public token and the item.
   */
  completeLink: (
    linkToken: string,
    how?: { username?: string; institutionId?: string; renews?: boolean },
  ) => { publicToken: string; item: PlaidItem }
}

/** Settings of the simulated server. */
export interface PlaidOptions {
  /** By default a free port. */
  port?: number
  clientId?: string
  secret?: string
  now?: () => Date
  /** Whether `calls` has the bodies of answers. By default not, because pages are large. */
  recordsAnswers?: boolean
}

/** Starts the simulated Plaid. */
export async function startPlaid({
  port = 0,
  clientId = 'plaidSimulatorClient',
  secret = 'plaidSimulatorSecret',
  now = () => new Date(),
  recordsAnswers = false,
}: PlaidOptions = {}): Promise<Plaid> {
  const users = new Map([['user_good', moveIn]])
  const items = createItems(now)
  const institution = createInstitution('ins_109508')
  const state: PlaidState = {
    now,
    items,
    institutions: new Map([[institution.institution_id, institution]]),
    linkTokens: [],
    keys: createWebhookKeys(now),
    signIn: ({ username, ...of }) => {
      const move = users.get(username)
      if (!move) throw new PlaidRefusal('INVALID_CREDENTIALS')
      const item = items.create(of)
      move(item)
      return item
    },
  }
  const calls: PlaidCall[] = []
  const faults = createFaultList()
  const limits = new Map<string, Limit>()
  const answerTo = createAnswerer(state, { clientId, secret, count: createLimiter(limits, now) })
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { url: path = '', headers } = request
    const body = parseObject(await text(request))
    if (serveLinkPages({ url: path, body }, response, { ...state, ...scriptOf(state) })) return
    const version = String(headers['plaid-version'])
    const call: PlaidCall = { path, version, request: body, status: 0, answer: null }
    calls.push(call)
    const item = items.find(body?.access_token)
    if (item) noteFlight(item, path, response)
    const fault = item?.faults.take(path) ?? faults.take(path)
    await sendFaulty(response, fault, () => {
      const answer = answered(() => answerTo(call, headers))
      call.status = answer.status
      if (recordsAnswers) call.answer = JSON.parse(answer.body)
      return answer
    })
  }
  const server = await listen(serve, port)
  return {
    url: server.origin,
    clientId,
    secret,
    calls,
    institutions: state.institutions,
    users,
    webhooks: createWebhooks(state.keys, now),
    limits,
    fault: faults.fault,
    ...scriptOf(state),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Returns a function that answers a request, or throws a PlaidRefusal. */
function createAnswerer(
  state: PlaidState,
  of: { clientId: string; secret: string; count: ReturnType<typeof createLimiter> },
): (call: PlaidCall, headers: IncomingHttpHeaders) => object {
  const endpoints = createEndpoints(state)
  return ({ path, request }, headers) => {
    const answer = endpoints.get(path)
    if (!answer) throw new PlaidRefusal('NOT_FOUND')
    if (!request) throw new PlaidRefusal('INVALID_BODY')
    const { client_id: id, secret, ...body } = request
    const isClient = (headers['plaid-client-id'] ?? id) === of.clientId
    const isSecret = (headers['plaid-secret'] ?? secret) === of.secret
    if (!isClient || !isSecret) throw new PlaidRefusal('INVALID_API_KEYS')
    of.count(path, state.items.find(body.access_token)?.itemId ?? null)
    return { ...answer(body), request_id: newRequestId() }
  }
}

function scriptOf(
  state: PlaidState,
): Pick<Plaid, 'createItem' | 'item' | 'items' | 'createPublicToken' | 'completeLink'> {
  const { items } = state
  return {
    createItem: (of = {}) => items.create(of),
    item: items.byId,
    items: items.all,
    createPublicToken: ({ itemId }) => items.createPublicToken(items.byId(itemId)),
    completeLink: (linkToken, how = {}) => {
      const { username = 'user_good', institutionId = 'ins_109508', renews = false } = how
      const found = state.linkTokens.find((one) => one.linkToken === linkToken)
      if (!found) throw new Error(`there is no link token ${linkToken}`)
      const { webhook } = found
      const item = found.item ?? state.signIn({ username, institutionId, webhook })
      item.error = null
      if (renews) items.renewAccessToken(item)
      return { publicToken: items.createPublicToken(item), item }
    },
  }
}

function moveIn(item: PlaidItem): void {
  item.addAccount({})
  item.addAccount({ name: 'Plaid Saving', mask: '1111', subtype: 'savings' })
}

/** Counts the unanswered requests of an item, and notes those that overlap. */
function noteFlight(item: StoredItem, path: string, response: ServerResponse): void {
  if (item.inFlight > 0) item.overlaps.push(path)
  item.inFlight += 1
  response.on('close', () => {
    item.inFlight -= 1
  })
}

function answered(answer: () => object): Answer {
  try {
    return { status: 200, body: JSON.stringify(answer()) }
  } catch (error) {
    const isRefused = error instanceof PlaidRefusal
    const code = isRefused ? error.code : 'INTERNAL_SERVER_ERROR'
    const message = isRefused ? error.message : `fault of the simulator: ${String(error)}`
    return { status: errorStatus(code), body: JSON.stringify(errorBody(code, message)) }
  }
}

function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? { ...parsed } : undefined
  } catch {
    return undefined
  }
}
