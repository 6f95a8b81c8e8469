import { setTimeout as sleep } from 'node:timers/promises'

/** What runs until it is stopped or breaks. */
export interface Runner {
  run: () => Promise<void>
  stop: () => void
}

export interface KeepRunningOptions {
  make: () => Promise<Runner>
  restartMs: number
  /** Called once until another is made, however many attempts fail meanwhile. */
  onBroken: (error: unknown) => void
  onMended: () => void
}

/**
 * Runs what `make` makes, and another `restartMs` after one broke or could not be made, until
 * disposed; disposing stops the one there is and waits for it. Resolves after the first attempt,
 * whether it was made or not: a server that is away is waited for in the background.
 */
export async function keepRunning(options: KeepRunningOptions): Promise<AsyncDisposable> {
  const { make, restartMs, onBroken, onMended } = options
  const stopping = new AbortController()
  const attempted = Promise.withResolvers<void>()
  let runner: Runner | undefined
  let isBroken = false
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        runner = await make()
        if (isBroken) onMended()
        isBroken = false
        attempted.resolve()
        const ended = runner.run()
        // It was made while disposing had nothing to stop.
        if (stopping.signal.aborted) runner.stop()
        await ended
      } catch (error) {
        if (!isBroken) onBroken(error)
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
