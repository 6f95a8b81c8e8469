import type { Log } from '@coffer/kit/service/log'
import { DefaultLogger, type LogLevel, Runtime } from '@temporalio/worker'

type OurLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

const levels: Record<LogLevel, OurLevel> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
}

/** Routine messages of workers (starting, idle, no workflows) are logged at debug. */
const quieter: Record<LogLevel, OurLevel> = { ...levels, INFO: 'debug', WARN: 'debug' }

/** Each poller of the native core reports an outage, several times a minute. */
const repeatedMs = 60_000

/**
 * Configures Temporal's library; call it before the first connection of workers. Log lines, those
 * of the native core included, go to `log`. Signals are left to the host, which drains the workers.
 */
export function installTemporalRuntime(log: Log): void {
  const isRepeated = repetition(repeatedMs)
  const logger = new DefaultLogger('TRACE', ({ level, message, meta = {} }) => {
    const isQuiet = meta.sdkComponent === 'worker' || isRepeated(meta.target)
    log[(isQuiet ? quieter : levels)[level]]({ ...meta }, message)
  })
  try {
    Runtime.install({
      logger,
      shutdownSignals: [],
      // Without forwarding, the native core writes coloured text to the console.
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    })
  } catch {
    // Already installed: the runtime is one per process.
  }
}

/**
 * Returns a function that tells whether a source has logged within `ms`; false without a source.
 */
function repetition(ms: number): (source: unknown) => boolean {
  const seenAt = new Map<unknown, number>()
  return (source) => {
    const now = performance.now()
    if (source === undefined || now - (seenAt.get(source) ?? -ms) >= ms) {
      seenAt.set(source, now)
      return false
    }
    return true
  }
}
