import { createLog } from '../src/service/log.ts'

/** For connections of a test's own, which have nothing to tell. */
export const silentLog = createLog({ level: 'silent', name: 'test' })
