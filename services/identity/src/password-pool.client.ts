import { unavailable } from '@coffer/kit/errors'
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

type Task = Parameters<typeof run>[0]

/**
 * Starts the threads: so many hash at the same time. On a machine that is busy with other things
 * too, who has waited for `waitMsMax` is told so before the request's own deadline passes.
 */
export function startPasswords(atOnce: number, waitMsMax = 5_000): Passwords {
  const threads = startWorkers<Task, ReturnType<typeof run>>({
    module: new URL('./password.worker.ts', import.meta.url),
    threadsMin: 1,
    threadsMax: atOnce,
    queueMax: waitingMax,
    memoryMaxMb: 64,
  })
  const inTime = async (task: Omit<Task, 'startBy'>) => {
    const done = await threads.run({ ...task, startBy: Date.now() + waitMsMax })
    if (done === null) throw unavailable('too many sign-ins are waiting')
    return done
  }
  return {
    hash: async (password) => String(await inTime({ password })),
    matches: async (password, hash) => (await inTime({ password, hash })) === true,
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
