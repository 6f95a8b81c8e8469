import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { keepRunning, type Runner } from '../src/keep-running.ts'

/** Returns functions to start and break a supervised task; creating it awaits `told.making`. */
function runners() {
  const made: { break: () => void; isStopped: boolean }[] = []
  const faults: unknown[] = []
  const told = { made, faults, mended: 0, making: async () => {} }
  const make = async (): Promise<Runner> => {
    await told.making()
    const end = Promise.withResolvers<void>()
    const one = { break: () => end.reject(new Error('broken')), isStopped: false }
    made.push(one)
    const stop = () => {
      one.isStopped = true
      end.resolve()
    }
    return { run: () => end.promise, stop }
  }
  const onFailure = (error: unknown) => void faults.push(error)
  const onRecovery = () => void told.mended++
  const start = () => keepRunning({ create: make, restartMs: 1, onFailure, onRecovery })
  return { ...told, told, start }
}

test('a failed runner is replaced, and disposing stops the current one', async () => {
  const { told, start, made, faults } = runners()
  const running = await start()
  const again = Promise.withResolvers<void>()
  told.making = async () => again.resolve()
  made[0]?.break()
  await again.promise
  await running[Symbol.asyncDispose]()
  expect(made.map(({ isStopped }) => isStopped)).toEqual([false, true])
  expect(faults).toEqual([new Error('broken')])
})

test('a runner that is created during disposal is stopped', async () => {
  const { told, start, made } = runners()
  const running = await start()
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  told.making = () => {
    begun.resolve()
    return held.promise
  }
  made[0]?.break()
  await begun.promise
  const disposed = running[Symbol.asyncDispose]()
  held.resolve()
  await disposed
  expect(made.map(({ isStopped }) => isStopped)).toEqual([false, true])
})

test('creation is retried when it fails, and the failure reported once', async () => {
  const { told, start, made, faults } = runners()
  const reached = Promise.withResolvers<void>()
  let attempts = 0
  told.making = async () => {
    attempts++
    if (attempts <= 3) throw new Error('no')
    reached.resolve()
  }
  await using _running = await start()
  await reached.promise
  // `onRecovery` is called only after `create` has resolved.
  await setImmediate()
  expect([attempts, made.length, faults, told.mended]).toEqual([4, 1, [new Error('no')], 1])
})
