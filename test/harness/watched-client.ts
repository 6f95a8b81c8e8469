import { createGoal } from './goal.ts'
import type { Person } from './person.ts'

/** The answers that a client got while a fault lasted, those before a repetition included. */
export interface Seen {
  requests: number
  /** Numbers of answers by status; `none` for requests without an answer. */
  statuses: Record<string, number>
  slowestMs: number
}

/**
 * Creates transactions from an envelope, which emit events, and reads balances, one request after
 * the other, until the returned function is called. Only reads balances unless `isSpending`.
 */
export async function watchClient(
  person: Person,
  { isSpending = true } = {},
): Promise<() => Promise<Seen>> {
  const { bank, spendingId } = await createGoal(person, 50_000)
  const seen: Seen = { requests: 0, statuses: {}, slowestMs: 0 }
  const client = person.connect({ fetch: fetchSeen(seen) })
  const tea = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const body = { ...tea, spendingId }
  let isOver = false
  const run = async () => {
    while (!isOver) {
      if (isSpending) await client.createTransaction({ ...bank, body }).catch(() => {})
      await client.getBalances(bank).catch(() => {})
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
    return seen
  }
}

/** Returns a `fetch` that counts requests and answers. */
function fetchSeen(seen: Seen): typeof fetch {
  return async (input, init) => {
    const startedAt = performance.now()
    let status: number | 'none' = 'none'
    try {
      const response = await fetch(input, init)
      status = response.status
      return response
    } finally {
      seen.requests += 1
      seen.statuses[status] = (seen.statuses[status] ?? 0) + 1
      seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - startedAt))
    }
  }
}

/** Prints what a long test has measured, for docs/reliability.md. */
export function printFigures(fault: string, figures: object): void {
  console.log(JSON.stringify({ fault, ...figures }))
}
