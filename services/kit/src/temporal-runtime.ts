import { DefaultLogger, type LogLevel, Runtime } from '@temporalio/worker'
import type { Log } from './log.ts'

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

/**
 * Sets up Temporal's library for this process, before the first connection of its workers: its log
 * lines go to ours, and it leaves signals alone, so that workers end when their host drains them.
 */
export function installTemporalRuntime(log: Log): void {
  const logger = new DefaultLogger('TRACE', ({ level, message, meta }) => {
    const ours = meta?.sdkComponent === 'worker' ? quieter : levels
    log[ours[level]]({ ...meta }, message)
  })
  try {
    Runtime.install({ logger, shutdownSignals: [] })
  } catch {
    // It is installed already: once a process.
  }
}
