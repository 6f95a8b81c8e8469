import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A bank account in answers of the feed provider Lunch Flow. `balance` is a JSON number as text.
 */
export interface FeedAccount {
  id: number | string
  name: string
  institution_name: string
  provider: string
  currency: string
  status: string
  balance: string
}

/** A simulated server of Lunch Flow, with the part of its HTTP API that Coffer uses. */
export interface LunchFlow extends AsyncDisposable {
  /** Base URL of the simulated API. */
  url: string
  /** The only API key that the server accepts. */
  apiKey: string
  /** Bank accounts that the server lists. Tests change this array. */
  accounts: FeedAccount[]
  /** Paths of all requests so far, such as `/accounts`. */
  requests: string[]
  /** API keys of all requests so far. */
  keys: string[]
  /** Sets a faulty answer for paths that end with `ending`; null restores the normal answer. */
  misbehave: (ending: string, how: Misbehaviour | null) => void
}

/** A faulty answer: a status with a body, a redirect, or no answer at all. */
export type Misbehaviour = { status: number; body?: string; location?: string } | 'silence'

const base = '/api/v1'
const apiKey = 'lunchFlowKeyOfTheTest'

/** Starts the simulated Lunch Flow on a free port. */
export async function startLunchFlow(): Promise<LunchFlow> {
  const accounts: FeedAccount[] = []
  const requests: string[] = []
  const keys: string[] = []
  const misbehaviours = new Map<string, Misbehaviour>()

  const serve = ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const path = url.replace(base, '')
    requests.push(path)
    keys.push(String(headers['x-api-key']))
    const how = [...misbehaviours].find(([ending]) => url.endsWith(ending))?.[1]
    if (how === 'silence') return
    if (how) return send(response, how.status, how.body ?? '{}', how.location)
    if (headers['x-api-key'] !== apiKey) {
      const refusal = { error: 'Forbidden', message: `no such key: ${headers['x-api-key']}` }
      return send(response, 403, JSON.stringify(refusal))
    }
    const body = url.startsWith(base) ? answerOf(accounts, path) : null
    return body === null ? send(response, 404, '{}') : send(response, 200, body)
  }
  const server = createServer(serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    apiKey,
    accounts,
    requests,
    keys,
    misbehave: (ending, how) => {
      if (how) misbehaviours.set(ending, how)
      else misbehaviours.delete(ending)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Returns a bank account of the feed with a balance, in USD unless `more` has another currency. */
export function feedAccount(id: number | string, more: Partial<FeedAccount> = {}): FeedAccount {
  return {
    id,
    name: `Account ${id}`,
    institution_name: 'First Bank',
    provider: 'gocardless',
    currency: 'USD',
    status: 'ACTIVE',
    balance: '12.34',
    ...more,
  }
}

/**
 * Returns the body of an answer, null for unknown paths. It is built as text, so decimals keep
 * their digits.
 */
function answerOf(accounts: FeedAccount[], path: string): string | null {
  if (path === '/accounts') {
    const listed = accounts.map(({ balance: _, ...account }) => account)
    return JSON.stringify({ accounts: listed, total: accounts.length })
  }
  const [, id] = /^\/accounts\/([^/]+)\/balance$/.exec(path) ?? []
  const account = accounts.find((one) => String(one.id) === id)
  if (!account) return null
  const currency = JSON.stringify(account.currency)
  return `{"balance":{"amount":${account.balance},"currency":${currency}}}`
}

function send(response: ServerResponse, status: number, body: string, location?: string): void {
  const headers = { 'content-type': 'application/json', ...(location ? { location } : {}) }
  response.writeHead(status, headers).end(body)
}
