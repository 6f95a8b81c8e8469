import { refused } from '@coffer/kit/errors'
import { isUnauthenticated } from './errors.ts'

const windowMs = 60_000
const addressesMax = 100_000

export interface Attempts {
  /**
   * Runs a sign-in for a client address; only wrong credentials count. Throws refused (429) once
   * the address has failed too often in this minute.
   */
  run: <Result>(address: string, signIn: () => Promise<Result>) => Promise<Result>
}

/** Limits failed sign-ins by client address (spec/decisions.md, Identity). */
export function limitAttempts({ max, clock }: { max: number; clock: () => Date }): Attempts {
  const failures = new Map<string, number>()
  let endsAt = 0
  const add = (address: string, step: 1 | -1) => {
    failures.set(address, Math.max(0, (failures.get(address) ?? 0) + step))
  }
  return {
    run: async (address, signIn) => {
      const now = clock().getTime()
      if (now >= endsAt || failures.size >= addressesMax) {
        failures.clear()
        endsAt = now + windowMs
      }
      if ((failures.get(address) ?? 0) >= max) {
        throw refused('too many failed sign-ins: try again in a minute', { status: 429 })
      }
      // Counted before it is known, so that many at once do not all get through.
      add(address, 1)
      try {
        const result = await signIn()
        add(address, -1)
        return result
      } catch (error) {
        if (!isUnauthenticated(error)) add(address, -1)
        throw error
      }
    },
  }
}
