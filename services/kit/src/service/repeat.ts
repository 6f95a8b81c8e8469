import { setTimeout as sleep } from 'node:timers/promises'

export interface RepeatOptions {
  /** Time in ms from the end of a step to the start of the next one. */
  everyMs: number
  /** Whether the first step also starts only after `everyMs`. */
  isDelayed?: boolean
}

/**
 * Repeats a step until disposed; disposing ends the pause, aborts `stopping`, and waits for a
 * running step. The step must handle its errors. The pauses do not keep the process running.
 */
export function repeat(
  step: (stopping: AbortSignal) => Promise<void>,
  { everyMs, isDelayed = false }: RepeatOptions,
): AsyncDisposable {
  const controller = new AbortController()
  const { signal } = controller
  const pause = () => sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
  const run = async () => {
    if (isDelayed) await pause()
    while (!signal.aborted) {
      await step(signal)
      await pause()
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      controller.abort()
      await running
    },
  }
}
