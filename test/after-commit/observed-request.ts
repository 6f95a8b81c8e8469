import { AsyncLocalStorage } from 'node:async_hooks'
import { Code, ConnectError } from '@connectrpc/connect'
import { BackendTerminatedError } from 'slonik'

/** `unavailable`: the dependency is away. `deadline`: it did not answer in time. */
export type FaultKind = 'unavailable' | 'deadline'

/** The step that fails: the one with this index, counted from 0 after the first commit. */
export interface Fault {
  index: number
  kind: FaultKind
}

/** The steps of a request: calls of services, statements, transactions, starts of workflows. */
export interface ObservedRequest {
  fault: Fault | null
  /** Tables whose changes the request has committed, bookkeeping aside. */
  changed: string[]
  /** Number of steps since the first commit. */
  later: number
  /** The step that failed. */
  failed: string | null
  isOver: boolean
}

const requests = new Map<string, ObservedRequest>()
const current = new AsyncLocalStorage<ObservedRequest>()

/** Changes that a request may leave behind when it fails: table and columns, with the reason. */
const bookkeeping: Record<string, string> = {
  network_attempts: 'an attempt counts whatever becomes of it',
  sign_in_attempts: 'an attempt counts whatever becomes of it',
  code_attempts: 'an attempt counts whatever becomes of it',
  account_requests: 'a call of Plaid counts whatever becomes of it',
  endpoint_calls: 'a call of Plaid counts whatever becomes of it',
  item_calls: 'a call of Plaid counts whatever becomes of it',
  request_budgets: 'a request counts whatever becomes of it',
  spent_challenges: 'a challenge is for one request, whatever becomes of it',
  link_tokens: 'a cache',
  'api_keys SET last_used_at': 'the use of a key, whatever becomes of the request',
  'sessions SET last_used_at': 'the use of a session, whatever becomes of the request',
}

const writes =
  /\b(?:INSERT INTO|DELETE FROM|(?<!FOR |KEY |DO )UPDATE) "?(\w+)"?(?: [a-z])?( SET last_used_at)?/g

/** Returns the tables that a statement changes, bookkeeping aside. */
function changedTables(text: string): string[] {
  const changed = [...text.matchAll(writes)].map(([, table = '', column = '']) => {
    return table in bookkeeping ? table : `${table}${column}`
  })
  return changed.filter((one) => !(one in bookkeeping))
}

/** Observes the request with this ID. With `fault`, one of its steps after a commit fails. */
export function observeRequest(requestId: string, fault: Fault | null): ObservedRequest {
  const observed = { fault, changed: [], later: 0, failed: null, isOver: false }
  requests.set(requestId, observed)
  return observed
}

/** Runs a call of a service as a part of the request with the ID, if that is observed. */
export function runObserved<Result>(requestId: string | null, run: () => Result): Result {
  const observed = requests.get(requestId ?? '')
  return observed && !current.getStore() ? current.run(observed, run) : run()
}

/** Notes that the running request has committed a statement that changed rows. */
export function noteCommit(text: string): void {
  const observed = current.getStore()
  if (!observed || observed.isOver) return
  observed.changed.push(...changedTables(text))
}

/** Begins a step of the running request; throws if it is the one that fails. */
export function beginStep(name: string, { isSql = false, isRepeated = false } = {}): void {
  const observed = current.getStore()
  if (!observed || observed.isOver || observed.changed.length === 0) return
  const { fault } = observed
  // The mesh repeats a call that failed: both attempts are one step.
  const isSame = isRepeated && observed.failed === name
  if (!isSame) observed.later += 1
  if (!fault || !(isSame || observed.later === fault.index + 1)) return
  observed.failed = name
  throw isSql ? sqlFault(fault.kind) : callFault(fault.kind)
}

function callFault(kind: FaultKind): Error {
  return kind === 'deadline'
    ? new ConnectError('the operation timed out', Code.DeadlineExceeded)
    : new ConnectError('a service is not available', Code.Unavailable)
}

function sqlFault(kind: FaultKind): Error {
  if (kind === 'unavailable') return new BackendTerminatedError(new Error('the server is gone'))
  // SQLSTATE of a statement that its timeout has ended.
  return Object.assign(new Error('canceling statement'), { code: '57014' })
}
