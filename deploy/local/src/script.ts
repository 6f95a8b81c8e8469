import { SettingsError } from '@coffer/kit/service/config'
import { FatalError } from '../bootstrap/fatal-error.mjs'

/** What ends a script from outside. A second Ctrl-C changes nothing: draining is bounded. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs an npm script's main part and exits with the code it returns. A fault that the user can mend
 * is shown as its one line and exits with 1, a bad setting with 2. `stop` is aborted by a signal,
 * and when the process that called us is gone.
 */
export async function runScript(main: (stop: AbortSignal) => Promise<number>): Promise<never> {
  const stop = new AbortController()
  for (const signal of signals) {
    process.on(signal, () => stop.abort(signal))
  }
  process.on('disconnect', () => stop.abort('the caller is gone'))
  try {
    process.exit(await main(stop.signal))
  } catch (error) {
    if (!(error instanceof FatalError || error instanceof SettingsError)) {
      throw error
    }
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
