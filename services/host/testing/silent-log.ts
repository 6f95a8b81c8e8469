import { createLog } from '../src/logger.ts'

/** A log that writes nothing. */
export const silentLog = createLog({ level: 'silent', name: 'test' })
