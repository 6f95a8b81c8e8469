import { expect } from '@jest/globals'
import type { Outcome } from './client.ts'
import type { Household } from './load.ts'

/** Outcomes of a client: counts, and each request that failed in the end. */
export interface Summary {
  requests: number
  /** Requests that succeeded after a repetition. */
  repeated: number
  /** Longest time of a request with its repetitions, in ms. */
  msMax: number
  failures: string[]
}

/** Counts outcomes; a request has failed if its last answer is not 2xx. */
export function summaryOf(outcomes: Outcome[]): Summary {
  const failed = outcomes.filter((one) => !isGood(one))
  return {
    requests: outcomes.length,
    repeated: outcomes.filter((one) => isGood(one) && one.attempts.length > 1).length,
    msMax: Math.round(Math.max(...outcomes.map(({ ms }) => ms))),
    failures: failed.map(({ at, route, isRepeated, attempts, body }) => {
      const kind = isRepeated ? 'repeatable' : 'once'
      const ends = attempts.join(', ')
      return `${at.toISOString()} ${route} (${kind}): ${ends} ${JSON.stringify(body)}`
    }),
  }
}

function isGood({ status }: Outcome): boolean {
  return status !== null && status >= 200 && status < 300
}

/** Checks that each purchase that was answered is booked exactly once, and no other one is. */
export async function requireBooked(households: Household[], outcomes: Outcome[]): Promise<void> {
  const purchases = outcomes.filter(({ route }) => route === 'POST transactions')
  const booked = purchases.filter(isGood).length
  // An unkeyed purchase without an answer may be booked or not.
  const unknown = purchases.filter((one) => !isGood(one) && !one.isRepeated).length
  let spent = 0
  for (const { person, path, balance } of households) {
    const { available } = await person.get(`${path}/balances`)
    spent += balance - available
  }
  expect(spent).toBeGreaterThanOrEqual(booked)
  expect(spent).toBeLessThanOrEqual(booked + unknown)
}
