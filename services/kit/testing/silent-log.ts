import { createLog } from '../src/service/logger.ts'

/** Discards all lines. */
export const silentLog = createLog({ level: 'silent', name: 'test' })
