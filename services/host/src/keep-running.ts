import { setTimeout as sleep } from 'node:timers/promises'

/** A task whose `run` rejects when it fails, and resolves after `stop`. */
export interface Runner {
  run: () => Promise<void>
  stop: () => void
}

export interface KeepRunningOptions {
  create: () => Promise<Runner>
  restartMs: number
  /** Called at the first failure; repeated failures are not reported until `create` succeeds. */
  onFailure: (error: unknown) => void
  /** Called when `create` has succeeded again after a failure. */
  onRecovery: () => void
}

/**
 * Supervises a task: creates it again `restartMs` after a failure. Resolves after the first attempt
 * to create it, even a failed one. Disposing stops the task and waits for its end.
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
        // Disposing during `create` found no runner to stop, so the new one is stopped here.
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
