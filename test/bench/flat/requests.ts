import { Agent } from 'node:http'
import { readChildrenMs, readProcessors } from '../host/proc-stat.ts'
import { stolenShare } from '../host/steal.ts'
import { quantile } from '../reader.ts'
import type { FlatFigure } from '../report/flat-report.ts'
import { type Ask, ask } from '../requests.ts'
import { type Household, nextDay } from './household.ts'

/** Number of measured requests of each kind of work to each state. */
export const requestsEach = 1_200
/** Rounds of all kinds of work; a round asks one state after the other. */
const rounds = 24
const warmUps = 100

type Work = { work: string; path: string; body?: (household: Household) => object }

const kinds: Work[] = [
  { work: 'GET transactions, the first 25', path: '/transactions?limit=25' },
  { work: 'GET balances', path: '/balances' },
  {
    work: 'POST transaction from an envelope',
    path: '/transactions',
    body: ({ spendingId }) => {
      return { name: 'GROCER 7', amount: 7, date: nextDay, spendingId, adjustsBalance: true }
    },
  },
]

/** A server with this number of transactions, and its households that are asked. */
export interface State {
  baseUrl: string
  /** Process ID of Postgres; null if unknown. */
  postgres: number | null
  households: readonly Household[]
  transactions: number
}

/** Times of one kind of work in ms, Postgres in total; the stolen share is that of each round. */
type Times = { taken: number[]; postgresMs: number | null; stolen: (number | null)[] }

/**
 * Measures requests to the households, one request after the other; each request is for the
 * household after that of the request before. The states alternate, so that a machine whose speed
 * changes slows down all of them. Throws if an answer is not 200.
 */
export async function measureRequests(states: readonly State[]): Promise<FlatFigure[]> {
  using asked = new DisposableStack()
  const measured = states.flatMap((state) => {
    const send = createSender(state, asked)
    const timesOf = (): Times => ({ taken: [], postgresMs: 0, stolen: [] })
    return kinds.map((work) => ({ state, work, times: timesOf(), send: () => send(work) }))
  })
  for (const { send } of measured) {
    for (let count = 0; count < warmUps; count += 1) await send()
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of kinds) {
      const turns = measured.filter(({ work }) => work === kind)
      // The other order in every second round: no state is always the first.
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
        await measureRound(turn.times, { postgres: turn.state.postgres, send: turn.send })
      }
    }
  }
  return measured.map(({ state, work, times }) => figureOf(times, { state, work: work.work }))
}

/** Returns a function that sends a request to the next household, over one connection. */
function createSender(
  { baseUrl, households }: State,
  asked: DisposableStack,
): (work: Work) => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  asked.defer(() => agent.destroy())
  let sent = 0
  return async (work) => {
    const household = households[sent % households.length]
    sent += 1
    if (household) await succeed(requestOf(work, { baseUrl, household, agent }))
  }
}

function figureOf(
  { taken, postgresMs, stolen }: Times,
  { state, work }: { state: State; work: string },
): FlatFigure {
  const known = stolen.filter((share) => share !== null)
  return {
    work,
    transactions: state.transactions,
    households: state.households.length,
    medianMs: quantile(taken, 0.5),
    p99Ms: quantile(taken, 0.99),
    postgresMs: postgresMs === null ? null : postgresMs / requestsEach,
    stolen: known.length === 0 ? null : Math.max(...known),
  }
}

/** Adds one round of requests to `times`. */
async function measureRound(
  times: Times,
  { postgres, send }: { postgres: number | null; send: () => Promise<void> },
): Promise<void> {
  const processors = readProcessors()
  const before = readChildrenMs(postgres)
  for (let count = 0; count < requestsEach / rounds; count += 1) {
    const start = performance.now()
    await send()
    times.taken.push(performance.now() - start)
  }
  const spent = spentBetween(before, readChildrenMs(postgres))
  times.postgresMs = times.postgresMs === null || spent === null ? null : times.postgresMs + spent
  times.stolen.push(stolenShare(processors, readProcessors()))
}

/** Returns the processor time in ms between two readings; a process may have started meanwhile. */
function spentBetween(
  before: ReadonlyMap<number, number> | null,
  after: ReadonlyMap<number, number> | null,
): number | null {
  if (before === null || after === null) return null
  return [...after].reduce((sum, [pid, ms]) => sum + Math.max(0, ms - (before.get(pid) ?? 0)), 0)
}

function requestOf(
  { path, body }: Work,
  { baseUrl, household, agent }: { baseUrl: string; household: Household; agent: Agent },
): Ask {
  const { apiKeyId, secret, bankAccountId } = household
  const authorization = `Basic ${Buffer.from(`${apiKeyId}:${secret}`).toString('base64')}`
  const url = `${baseUrl}/api/bank_accounts/${bankAccountId}${path}`
  const headers = { authorization }
  return body === undefined
    ? { url, agent, headers }
    : { url, agent, headers, body: JSON.stringify(body(household)) }
}

async function succeed(request: Ask): Promise<void> {
  const outcome = await ask(request)
  if ('error' in outcome || outcome.status !== 200) {
    throw new Error(`${request.url}: ${JSON.stringify(outcome)}`)
  }
}
