import { unavailable } from '@coffer/kit/rpc/errors'
import { startWorkers } from '@coffer/kit/service/workers'
import type { run } from './password.worker.ts'

/** Hashes and checks passwords off the event loop, behind a bounded queue. */
export interface Passwords extends AsyncDisposable {
  /** Resolves once a thread can hash: requests before that would wait for its start. */
  ready: () => Promise<void>
  /** Throws unavailable where the queue is full, before a request does anything else. */
  requireRoom: () => void
  /** Throws unavailable where no thread is free in time. An aborted signal leaves the queue. */
  hash: (password: string, signal?: AbortSignal) => Promise<string>
  /** As `hash`. False for a null hash, after the same time as for a wrong password. */
  matches: (password: string, hash: string | null, signal?: AbortSignal) => Promise<boolean>
}

// About half a second of waiting on a machine that does nothing else.
const queueMax = 50

// The first task waits for its thread to start; a hash takes some milliseconds.
const taskTimeoutMs = 30_000

const tooLate = () => unavailable('too many sign-ins are waiting')

type Task = Parameters<typeof run>[0]

/** Starts threads: `atOnce` passwords are hashed in parallel, others wait for `waitTimeoutMs`. */
export function startPasswords(atOnce: number, waitTimeoutMs = 2_500): Passwords {
  const threads = startWorkers<Task, ReturnType<typeof run>>({
    module: new URL('./password.worker.ts', import.meta.url),
    threadsMin: 1,
    threadsMax: atOnce,
    queueMax,
    waitTimeoutMs,
    taskTimeoutMs,
    memoryMaxMb: 64,
    exceeded: () => {
      throw tooLate()
    },
  })
  const hash: Passwords['hash'] = async (password, signal) =>
    String(await threads.run({ password }, signal))
  return {
    ready: async () => {
      await hash('')
    },
    requireRoom: () => {
      if (threads.isFull()) throw tooLate()
    },
    hash,
    matches: async (password, stored, signal) =>
      (await threads.run({ password, hash: stored }, signal)) === true,
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
