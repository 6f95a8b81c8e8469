import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, createFaultList, type Fault, type FaultList, sendFaulty } from './faults.ts'
import { createFeedBank, type FeedBank, type Row } from './feed-bank.ts'
import { listen } from './http-server.ts'

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
  /** Paths of all requests so far with their queries, such as `/accounts`. */
  requests: string[]
  /** API keys of all requests so far. */
  keys: string[]
  /** Paths of requests for a bank account that arrived while it had an unanswered one. */
  overlaps: string[]
  /** `plain`: 404 for a query, and no pending rows. `without-days`: `from` and `to` are ignored. */
  dialect: 'full' | 'plain' | 'without-days'
  /** Sets a faulty answer for paths that end with `ending`; null restores the normal answer. */
  misbehave: (ending: string, how: Misbehaviour | null) => void
  /** Returns the transactions of a bank account. They are answered while `accounts` lists it. */
  bank: (accountId: number | string) => FeedBank
  fault: FaultList['fault']
}

/** A faulty answer: a status with a body, a redirect, or no answer at all. */
export type Misbehaviour = { status: number; body?: string; location?: string } | 'silence'

type State = Pick<LunchFlow, 'accounts' | 'dialect'> & {
  banks: Map<string, ReturnType<typeof createFeedBank>>
  faults: FaultList
  misbehaviours: Map<string, Misbehaviour>
}

const base = '/api/v1'
const notFound = { status: 404, body: '{"error":"Not Found","message":"Not found"}' }

/** Starts the simulated Lunch Flow; on a free port unless one is given. */
export async function startLunchFlow({
  port = 0,
  apiKey = 'lunchFlowSimulatorKey',
} = {}): Promise<LunchFlow> {
  const requests: string[] = []
  const keys: string[] = []
  const overlaps: string[] = []
  const unanswered = new Map<string, number>()
  const state: State = {
    accounts: [],
    dialect: 'full',
    banks: new Map(),
    faults: createFaultList(),
    misbehaviours: new Map(),
  }
  const serve = ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const path = url.replace(base, '')
    const key = String(headers['x-api-key'])
    requests.push(path)
    keys.push(key)
    const [accountPath] = /^\/accounts\/[^/]+/.exec(path) ?? []
    if (accountPath) {
      const others = unanswered.get(accountPath) ?? 0
      if (others > 0) overlaps.push(path)
      unanswered.set(accountPath, others + 1)
      response.on('close', () =>
        unanswered.set(accountPath, (unanswered.get(accountPath) ?? 1) - 1),
      )
    }
    return sendFaulty(response, takeFault(state, path), () => {
      if (key !== apiKey) return forbidden(key)
      return url.startsWith(base) ? answerOf(state, path) : notFound
    })
  }
  const server = await listen(serve, port)
  return {
    url: server.origin + base,
    apiKey,
    accounts: state.accounts,
    requests,
    keys,
    overlaps,
    get dialect() {
      return state.dialect
    },
    set dialect(dialect) {
      state.dialect = dialect
    },
    misbehave: (ending, how) => {
      if (how) state.misbehaviours.set(ending, how)
      else state.misbehaviours.delete(ending)
    },
    bank: (accountId) => bankOf(state, String(accountId)),
    fault: state.faults.fault,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
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

function takeFault(state: State, path: string): Fault | null {
  const how = [...state.misbehaviours].find(([ending]) => path.endsWith(ending))?.[1]
  if (how === 'silence') return { kind: 'hang' }
  if (how)
    return { kind: 'status', ...how, headers: how.location ? { location: how.location } : {} }
  return state.faults.take(path)
}

function bankOf(state: State, accountId: string): ReturnType<typeof createFeedBank> {
  const account = () => state.accounts.find(({ id }) => String(id) === accountId)
  const known = state.banks.get(accountId)
  if (known) return known
  const made = createFeedBank({
    prefix: `lf-${accountId}`,
    currency: () => account()?.currency ?? 'USD',
    setBalance: (balance) => {
      const found = account()
      if (!found) throw new Error(`the provider lists no bank account ${accountId}`)
      found.balance = balance
    },
  })
  state.banks.set(accountId, made)
  return made
}

/** Returns the right answer. Bodies are built as text, so decimals keep their digits. */
function answerOf(state: State, path: string): Answer {
  const { pathname, searchParams: query } = new URL(path, 'http://provider')
  if (state.dialect === 'plain' && query.size > 0) return notFound
  if (pathname === '/accounts') return ok(accountsBody(state))
  const [, id, what] = /^\/accounts\/([^/]+)\/(balance|transactions)$/.exec(pathname) ?? []
  const account = state.accounts.find((one) => String(one.id) === id)
  if (!account) return notFound
  if (what === 'transactions') return transactionsOf(state, account, query)
  return ok(
    `{"balance":{"amount":${account.balance},"currency":${JSON.stringify(account.currency)}}}`,
  )
}

function accountsBody({ accounts }: State): string {
  const listed = accounts.map(({ balance: _, ...account }) => ({
    ...account,
    // The real server signs these addresses anew for each answer.
    institution_logo: `https://logos.example/bank.png?signature=${randomUUID()}`,
  }))
  return JSON.stringify({ accounts: listed, total: accounts.length })
}

function transactionsOf(state: State, account: FeedAccount, query: URLSearchParams): Answer {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  if ([from, to].some((day) => !/^(\d{4}-\d\d-\d\d)?$/.test(day))) {
    return { status: 400, body: '{"error":"Bad Request","message":"from or to is no day"}' }
  }
  const bank = bankOf(state, String(account.id))
  const hasDays = state.dialect !== 'without-days'
  const rows = bank
    .listed()
    .filter(({ isPending }) => !isPending || query.get('include_pending') === 'true')
    .filter(({ date }) => !hasDays || ((!from || date >= from) && (!to || date <= to)))
  bank.answered()
  const texts = rows.map((row) => rowText(row, account.id, state.dialect))
  return ok(`{"transactions":[${texts.join(',')}],"total":${rows.length}}`)
}

function rowText(row: Row, accountId: number | string, dialect: State['dialect']): string {
  const { id, amount, currency, date, merchant, description, isPending } = row
  const before = JSON.stringify({ id, accountId }).slice(0, -1)
  const after = { currency, date, merchant, description }
  const rest = JSON.stringify(dialect === 'plain' ? after : { ...after, isPending })
  return `${before},"amount":${amount},${rest.slice(1)}`
}

const ok = (body: string): Answer => ({ status: 200, body })

function forbidden(key: string): Answer {
  const refusal = { error: 'Forbidden', message: `no such key: ${key}` }
  return { status: 403, body: JSON.stringify(refusal) }
}
