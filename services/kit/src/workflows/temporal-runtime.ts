import { DefaultLogger, type LogLevel, Runtime } from '@temporalio/worker'
import type { Log } from '../service/log.ts'

type OurLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

const levels: Record<LogLevel, OurLevel> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
}

/** What workers say of themselves (starting, idle, no workflows) is of use to few. */
const quieter: Record<LogLevel, OurLevel> = { ...levels, INFO: 'debug', WARN: 'debug' }

/** Each poller of the native core reports an outage by itself, several times a minute. */
const repeatedMs = 60_000

/**
 * Sets up Temporal's library for this process, before the first connection of its workers: its log
 * lines, those of its native core too, go to ours, and it leaves signals alone, so that workers end
 * when their host drains them.
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
    // It is installed already: once a process.
  }
}

/** Tells whether a source has been seen within so many ms; what has no source never has. */
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
