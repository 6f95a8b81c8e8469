import { createLog } from '../src/service/log.ts'

/** Discards all lines. */
export const silentLog = createLog({ level: 'silent', name: 'test' })
