import { unavailable } from '@coffer/kit/errors'
import { startWorkers } from '@coffer/kit/workers'
import type { run } from './password.worker.ts'
import { createTurns } from './turns.client.ts'

/** Hashes and checks passwords off the event loop. Throws unavailable where it is not in time. */
export interface Hashing {
  hash: (password: string) => Promise<string>
  /** False for a null hash, after the same time as for a wrong password. */
  matches: (password: string, hash: string | null) => Promise<boolean>
}

/** Each `hash` and `matches` here is a turn by itself. */
export interface Passwords extends Hashing, AsyncDisposable {
  /** Resolves once a thread can hash: whatever came before would wait for its start. */
  ready: () => Promise<void>
  /**
   * Does what needs a password hashed, from its first look at the database on. Throws unavailable:
   * at once, and does nothing, where too much is waiting; and well before the call's own deadline
   * where the hash is not made in time, whatever it waited for.
   */
  inTurn: <Result>(
    call: { timeoutMs: () => number | undefined },
    work: (hashing: Hashing) => Promise<Result>,
  ) => Promise<Result>
}

// About half a second of waiting on a machine that does nothing else.
const waitingMax = 50

// The first task waits for its thread to start; a hash takes some milliseconds.
const taskTimeoutMs = 30_000

const tooLate = () => unavailable('too many sign-ins are waiting')

type Task = Parameters<typeof run>[0]

/** Starts the threads: so many hash at the same time. Nobody waits longer than `patienceMs`. */
export function startPasswords(atOnce: number, patienceMs = 2_500): Passwords {
  const threads = startWorkers<Task, ReturnType<typeof run>>({
    module: new URL('./password.worker.ts', import.meta.url),
    threadsMin: 1,
    threadsMax: atOnce,
    queueMax: atOnce,
    waitTimeoutMs: patienceMs,
    taskTimeoutMs,
    memoryMaxMb: 64,
    exceeded: () => {
      throw tooLate()
    },
  })
  const takeTurn = createTurns({
    ...{ atOnce, waitingMax, patienceMs },
    tooLate,
  })
  const inTurn: Passwords['inTurn'] = (call, work) =>
    takeTurn(call.timeoutMs(), (slowly) =>
      work({
        hash: async (password) => String(await slowly(() => threads.run({ password }))),
        matches: async (password, hash) =>
          (await slowly(() => threads.run({ password, hash }))) === true,
      }),
    )
  const byItself = { timeoutMs: () => undefined }
  return {
    hash: (password) => inTurn(byItself, ({ hash }) => hash(password)),
    matches: (password, hash) => inTurn(byItself, ({ matches }) => matches(password, hash)),
    ready: async () => {
      await threads.run({ password: '' })
    },
    inTurn,
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
