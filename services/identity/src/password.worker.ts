import { unavailable } from '@coffer/kit/errors'
import { hash, verify } from '@node-rs/argon2'

/** Hashes and checks passwords off the event loop. */
export interface Passwords {
  /** Throws unavailable at once when too many wait already. */
  hash: (password: string) => Promise<string>
  /** False for a null hash, after the same time as for a wrong password. Throws as `hash` does. */
  matches: (password: string, hash: string | null) => Promise<boolean>
}

// Argon2id is the library's default; 19 MiB, two passes and one lane are OWASP's minimum.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const waitingMax = 100

/** The hashing runs on the runtime's own threads; `atOnce` of them, so that files get theirs. */
export function startPasswords(atOnce: number): Passwords {
  const inTurn = queue(atOnce)
  const decoy = hash('no login has this password', cost)
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    matches: (password, stored) =>
      inTurn(async () => (await verify(stored ?? (await decoy), password)) && stored !== null),
  }
}

function queue(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) {
      running += 1
    } else {
      if (waiting.length >= waitingMax) throw unavailable('too many sign-ins are waiting')
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
