import { setTimeout as sleep } from 'node:timers/promises'

/** What runs until it is stopped or breaks. */
export interface Runner {
  run: () => Promise<void>
  stop: () => void
}

/**
 * Runs what `make` makes, and another `restartMs` after one broke, until disposed; disposing stops
 * the one there is and waits for it. Rejects where the first cannot be made.
 */
export async function keepRunning(options: {
  make: () => Promise<Runner>
  restartMs: number
  onBroken: (error: unknown) => void
}): Promise<AsyncDisposable> {
  const { make, restartMs, onBroken } = options
  const stopping = new AbortController()
  let runner: Runner | undefined = await make()
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        runner ??= await make()
        const ended = runner.run()
        // It was made while disposing had nothing to stop.
        if (stopping.signal.aborted) runner.stop()
        await ended
      } catch (error) {
        onBroken(error)
        await sleep(restartMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      runner = undefined
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      runner?.stop()
      await running
    },
  }
}
