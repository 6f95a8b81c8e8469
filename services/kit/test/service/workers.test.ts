import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { getPriority, platform } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { refused } from '../../src/rpc/errors.ts'
import { startWorkers, type TaskOptions } from '../../src/service/workers.ts'
import type { run } from '../fixture/worker.ts'

type Task = Parameters<typeof run>[0]

interface Limits extends TaskOptions<Task> {
  waitTimeoutMs?: number
  taskTimeoutMs?: number
  idleTimeoutMs?: number
}

const start = (queueMax: number, limits: Limits = {}) =>
  startWorkers<Task, number>({
    module: new URL('../fixture/worker.ts', import.meta.url),
    threadsMax: 1,
    queueMax,
    memoryMaxMb: 64,
    waitTimeoutMs: 60_000,
    taskTimeoutMs: 60_000,
    exceeded: () => {
      throw refused('too much work')
    },
    ...limits,
  })

const tooMuch = { code: Code.FailedPrecondition, rawMessage: 'too much work' }

test('work runs in another thread, and its errors are thrown', async () => {
  await using workers = start(4)
  expect(await workers.run({ numbers: [1, 2, 3] })).toBe(6)
  await expect(workers.run({ fail: 'bad file' })).rejects.toThrow('bad file')
  expect(await workers.run({ numbers: [4] })).toBe(4)
})

test('tasks beyond the queue are refused at once, queued ones run', async () => {
  await using workers = start(2)
  await workers.run({})
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const running = workers.run({ numbers: [1], flag })
  const waiting = [workers.run({ numbers: [2] }), workers.run({ numbers: [3] })]
  const refused = workers.run({ numbers: [4] })
  await expect(refused).rejects.toMatchObject({ code: Code.Unavailable })
  Atomics.store(flag, 0, 1)
  expect(await Promise.all([running, ...waiting])).toEqual([1, 2, 3])
})

test('a burst on a cold pool is queued', async () => {
  await using workers = start(3)
  const burst = [1, 2, 3].map((number) => workers.run({ numbers: [number] }))
  expect(await Promise.all(burst)).toEqual([1, 2, 3])
})

test('an aborted task does not run', async () => {
  await using workers = start(2)
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const gone = new AbortController()
  const running = workers.run({ flag })
  const waiting = workers.run({ numbers: [1] }, gone.signal)
  gone.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  Atomics.store(flag, 0, 1)
  expect(await running).toBe(0)
})

test('a task that waits too long for a thread is refused', async () => {
  await using workers = start(2, { waitTimeoutMs: 20 })
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const running = workers.run({ numbers: [1], flag })
  await expect(workers.run({ numbers: [2] })).rejects.toMatchObject({ code: Code.Unavailable })
  Atomics.store(flag, 0, 1)
  expect(await running).toBe(1)
  expect(await workers.run({ numbers: [3] })).toBe(3)
})

/** Collects the ends of the threads that start from now on. */
function noteExits() {
  const exits: Promise<unknown>[] = []
  const note = (created: unknown) => {
    exits.push(once((created as { worker: Worker }).worker, 'exit'))
  }
  subscribe('worker_threads', note)
  return { exits, [Symbol.dispose]: () => unsubscribe('worker_threads', note) }
}

test('a task may end its thread, and others keep theirs and their priority', async () => {
  using noted = noteExits()
  const endsThread = ({ numbers = [] }: Task) => numbers.length > 1
  await using workers = start(2, { idleTimeoutMs: 600_000, endsThread })
  expect(await workers.run({ numbers: [1] })).toBe(1)
  expect(await workers.run({ numbers: [1, 2] })).toBe(3)
  expect(await workers.run({ numbers: [2] })).toBe(2)
  expect(noted.exits).toHaveLength(2)
  const lowered = platform() === 'linux' ? Math.min(19, getPriority() + 10) : getPriority()
  expect(await workers.run({ numbers: [0, 0], addPriority: true })).toBe(lowered)
  expect(await workers.run({ numbers: [0], addPriority: true })).toBe(getPriority())
  await noted.exits[1]
})

test('a task that never ends is killed with its thread; queued tasks get another', async () => {
  using noted = noteExits()
  await using workers = start(2, { taskTimeoutMs: 3_000 })
  const endless = workers.run({ endless: true })
  const waiting = workers.run({ numbers: [1] })
  await expect(endless).rejects.toMatchObject(tooMuch)
  expect(await waiting).toBe(1)
  expect(noted.exits).toHaveLength(2)
  await noted.exits[0]
})

test('a task that exceeds the memory of its thread is refused', async () => {
  await using workers = start(2)
  await expect(workers.run({ hoard: true })).rejects.toMatchObject(tooMuch)
  expect(await workers.run({ numbers: [1] })).toBe(1)
})

test('closing a pool refuses queued tasks and kills running ones', async () => {
  const workers = start(2)
  await workers.run({})
  const settled = Promise.allSettled([workers.run({ endless: true }), workers.run({})])
  await workers[Symbol.asyncDispose]()
  for (const one of await settled) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: Code.Unavailable } })
  }
})
