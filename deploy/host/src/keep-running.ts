import { setTimeout as sleep } from 'node:timers/promises'

/** A task that runs until it is stopped or fails. */
export interface Runner {
  run: () => Promise<void>
  stop: () => void
}

export interface KeepRunningOptions {
  create: () => Promise<Runner>
  restartMs: number
  /** Called after a failure, once until a new runner is created, even if many attempts fail. */
  onFailure: (error: unknown) => void
  /** Called when a runner is created after a failure. */
  onRecovery: () => void
}

/**
 * Supervises a runner: replaces it `restartMs` after it failed or could not be created. Disposing
 * stops the current runner and waits for its end. Resolves after the first attempt, successful or
 * not.
 */
export async function keepRunning(options: KeepRunningOptions): Promise<AsyncDisposable> {
  const { create, restartMs, onFailure, onRecovery } = options
  const stopping = new AbortController()
  const attempted = Promise.withResolvers<void>()
  let runner: Runner | undefined
  let isBroken = false
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        runner = await create()
        if (isBroken) onRecovery()
        isBroken = false
        attempted.resolve()
        const ended = runner.run()
        // Disposed while the runner was created: the disposal had no runner to stop.
        if (stopping.signal.aborted) runner.stop()
        await ended
      } catch (error) {
        if (!isBroken) onFailure(error)
        isBroken = true
        attempted.resolve()
        await sleep(restartMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      runner = undefined
    }
  }
  const running = run()
  await attempted.promise
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      runner?.stop()
      await running
    },
  }
}
