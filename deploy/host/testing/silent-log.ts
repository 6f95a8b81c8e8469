import { createLog } from '../src/logger.ts'

/** Discards all lines. */
export const silentLog = createLog({ level: 'silent', name: 'test' })
