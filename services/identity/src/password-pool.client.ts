import { startWorkers } from '@coffer/kit/workers'
import type { run } from './password.worker.ts'

/** Hashes and checks passwords off the event loop. */
export interface Passwords extends AsyncDisposable {
  /** Throws unavailable at once when too many wait already. */
  hash: (password: string) => Promise<string>
  /** False for a null hash, after the same time as for a wrong password. Throws as `hash` does. */
  matches: (password: string, hash: string | null) => Promise<boolean>
}

// About half a second of waiting at most: who comes later is told so at once.
const waitingMax = 50

/** Starts the threads: so many hash at the same time. */
export function startPasswords(atOnce: number): Passwords {
  const threads = startWorkers<Parameters<typeof run>[0], ReturnType<typeof run>>({
    module: new URL('./password.worker.ts', import.meta.url),
    threadsMin: 1,
    threadsMax: atOnce,
    queueMax: waitingMax,
    memoryMaxMb: 64,
  })
  return {
    hash: async (password) => String(await threads.run({ password })),
    matches: async (password, hash) => (await threads.run({ password, hash })) === true,
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
