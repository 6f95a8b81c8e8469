import { unavailable } from '@coffer/kit/rpc/errors'
import { startWorkers } from '@coffer/kit/service/workers'
import type { run } from './password.worker.ts'

/** Worker threads that hash and check passwords, behind a bounded queue. */
export interface Passwords extends AsyncDisposable {
  /** Warm-up: resolves once a thread has hashed, so that no request waits for its start. */
  ready: () => Promise<void>
  /** Load shedding: throws unavailable where the queue is full. Call it before any statement. */
  requireRoom: () => void
  /**
   * Returns an argon2id hash. Throws unavailable where the queue is full, or no thread is free in
   * time. An aborted signal removes the task from the queue.
   */
  hash: (password: string, signal?: AbortSignal) => Promise<string>
  /** Throws as `hash`. False for a null hash, after the same time as for a wrong password. */
  matches: (password: string, hash: string | null, signal?: AbortSignal) => Promise<boolean>
}

// About half a second of waiting on a machine that does nothing else.
const queueMax = 50

// A hash takes some milliseconds; the first task includes the start of its thread.
const taskTimeoutMs = 30_000

const queueFull = () =>
  unavailable('too many passwords are being checked: repeat the request later')

type Task = Parameters<typeof run>[0]

/** Starts at most `atOnce` threads; further tasks wait for up to `waitTimeoutMs`. */
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
      throw queueFull()
    },
  })
  const hash: Passwords['hash'] = async (password, signal) =>
    String(await threads.run({ password }, signal))
  return {
    ready: async () => {
      await hash('')
    },
    requireRoom: () => {
      if (threads.isFull()) throw queueFull()
    },
    hash,
    matches: async (password, stored, signal) =>
      (await threads.run({ password, hash: stored }, signal)) === true,
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
