import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { startWorkers } from '../src/workers.ts'
import type { run } from './fixture/worker.ts'

type Task = Parameters<typeof run>[0]

const start = (queueMax: number) =>
  startWorkers<Task, number>({
    module: new URL('./fixture/worker.ts', import.meta.url),
    threadsMax: 1,
    queueMax,
    memoryMaxMb: 64,
  })

test('work is done in another thread and its errors come back', async () => {
  await using workers = start(4)
  expect(await workers.run({ numbers: [1, 2, 3] })).toBe(6)
  await expect(workers.run({ fail: 'bad file' })).rejects.toThrow('bad file')
  expect(await workers.run({ numbers: [4] })).toBe(4)
})

test('what does not fit the queue is refused at once; what fits is done', async () => {
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

test('work that its caller gave up does not run', async () => {
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
