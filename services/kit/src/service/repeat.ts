import { setTimeout as sleep } from 'node:timers/promises'

export interface RepeatOptions {
  /** Time in ms from the end of a step to the next one. */
  everyMs: number
  /** Whether the first step, too, waits for that time. */
  isDelayed?: boolean
}

/**
 * Repeats a step until disposed, which ends the pause and waits for a running step. `stopping` is
 * aborted then. The step handles its errors. The pauses do not keep the process running.
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
