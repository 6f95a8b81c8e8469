import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { startWorkers } from '@coffer/kit/service/workers'
import type { Passwords } from '../deps.ts'
import type { run } from './password.worker.ts'

// Maximum number of queued passwords per process: half a second of hashing on an idle machine.
const queueMax = 50

// Time limit of a task: hashing takes milliseconds, but a thread's first task waits for its start.
const taskTimeoutMs = 30_000

// Idle threads live longer than by default, because starting a thread takes longer than a hash.
const idleTimeoutMs = 60_000

const queueFull = () => unavailable(say('PASSWORDS_BUSY'))

type Task = Parameters<typeof run>[0]

/** Creates a pool of at most `atOnce` threads; a task waits `waitTimeoutMs` for a free thread. */
export function startPasswords(atOnce: number, waitTimeoutMs = 2_500): Passwords {
  const threads = startWorkers<Task, ReturnType<typeof run>>({
    module: new URL('./password.worker.ts', import.meta.url),
    idleTimeoutMs,
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
    requireRoom: () => {
      if (threads.isFull()) throw queueFull()
    },
    hash,
    matches: async (password, stored, signal) =>
      (await threads.run({ password, hash: stored }, signal)) === true,
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
