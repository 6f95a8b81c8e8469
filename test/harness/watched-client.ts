import { createGoal } from './goal.ts'
import type { Person } from './person.ts'

/** The answers that a client got while a fault lasted. */
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
  const { path, spendingId } = await createGoal(person, 50_000)
  const seen: Seen = { requests: 0, statuses: {}, slowestMs: 0 }
  const tea = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const body = { ...tea, spendingId }
  let isOver = false
  const request = async (method: string, to: string, options: object) => {
    const startedAt = performance.now()
    const answer = await person.call(method, to, options).catch(() => null)
    const status = answer?.status ?? 'none'
    seen.requests += 1
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1
    seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - startedAt))
  }
  const run = async () => {
    while (!isOver) {
      if (isSpending) await request('POST', `${path}/transactions`, { body })
      await request('GET', `${path}/balances`, {})
    }
  }
  const running = run()
  return async () => {
    isOver = true
    await running
    return seen
  }
}

/** Prints what a long test has measured, for docs/reliability.md. */
export function printFigures(fault: string, figures: object): void {
  console.log(JSON.stringify({ fault, ...figures }))
}
