import { SettingsError } from '@coffer/kit/service/config'
import { FatalError } from '../bootstrap/fatal-error.mjs'

/**
 * Signals that stop a script. Further signals have no effect, because stopping takes a bounded
 * time.
 */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs the main function of an npm script and exits with its result. A FatalError is printed as one
 * line with exit code 1, a SettingsError with exit code 2. `stop` is aborted by a signal, or when
 * the calling process ends.
 */
export async function runScript(main: (stop: AbortSignal) => Promise<number>): Promise<never> {
  const stop = new AbortController()
  for (const signal of signals) {
    process.on(signal, () => stop.abort(signal))
  }
  process.on('disconnect', () => stop.abort('the calling process ended'))
  try {
    process.exit(await main(stop.signal))
  } catch (error) {
    if (!(error instanceof FatalError || error instanceof SettingsError)) throw error
    console.error(error.message)
    process.exit(error instanceof SettingsError ? 2 : 1)
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
    } else {
      signal.addEventListener('abort', () => resolve(), { once: true })
    }
  })
}
