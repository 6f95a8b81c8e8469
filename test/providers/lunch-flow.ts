import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An account as Lunch Flow lists it; `balance` is the text of a JSON number. */
export interface FeedAccount {
  id: number | string
  name: string
  institution_name: string
  provider: string
  currency: string
  status: string
  balance: string
}

/** A simulated Lunch Flow with the part of its HTTP API that Coffer uses. */
export interface LunchFlow extends AsyncDisposable {
  /** Base URL of its API. */
  url: string
  /** The only API key that it accepts. */
  apiKey: string
  /** Accounts in its answer; tests change the list. */
  accounts: FeedAccount[]
  /** Paths of all requests, such as `/accounts`. */
  requests: string[]
  /** API keys of all requests, on any path. */
  keys: string[]
  /** Sets the answer to paths with this ending; null restores the usual one. */
  misbehave: (ending: string, how: Misbehaviour | null) => void
}

/** A status with a body, a redirect, or no answer. */
export type Misbehaviour = { status: number; body?: string; location?: string } | 'silence'

const base = '/api/v1'
const apiKey = 'lunchFlowKeyOfTheTest'

/** Starts the simulator on a free port. */
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

/** Returns an account with a balance, by default in USD. */
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

/** Returns the body of an answer, built as text so that decimals keep their digits. */
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
