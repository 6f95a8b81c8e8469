import type { ServiceDeps } from '@coffer/kit/service/service'
import { tellOfBilling } from '../billing/billing-sweep.sql.ts'
import { startMail } from '../mail/mail.consumer.ts'
import { deleteMail, listMails } from '../mail/mail.sql.ts'
import { listUnverified, removeUnverified } from '../sign-in/unverified.sql.ts'
import { type FeatureSettings, featuresOf } from './features.ts'
import { deleteExpired, expiringTables } from './sweep.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows' | 'clock' | 'log'> & {
  config: FeatureSettings & { billed: boolean }
}

const pageSize = 200
const rowsPerTable = 1_000
// Each is a workflow over every service: so many in ten minutes leave room for all else.
const unverifiedPerSweep = 500
const graceMs = 60_000
// After a day of attempts (mail.workflow.ts) nobody waits for the mail any more.
const givenUpAfterMs = 25 * 60 * 60_000

/** What finishes or removes what was left behind (design 2); each step can be repeated. */
export function sweepActivities({ config, database, workflows, clock, log }: Deps) {
  const before = (ms: number) => new Date(clock().getTime() - ms)
  return {
    /** Takes a page after the ID given; returns the last ID of it, null after the last page. */
    restartMails: async (after: string): Promise<string | null> => {
      const page = { after, limit: pageSize }
      const lost = await listMails(database, { ...page, before: before(givenUpAfterMs) })
      for (const mailId of lost) {
        log.warn({ mailId }, 'a mail could not be sent for a day and is given up')
        await deleteMail(database, mailId)
      }
      const waiting = await listMails(database, { ...page, before: before(graceMs) })
      for (const mailId of waiting) await startMail(workflows, mailId)
      return waiting.at(pageSize - 1) ?? null
    },
    /** Requests the deletion of accounts whose address was not verified in time, some a sweep. */
    removeUnverified: async (): Promise<void> => {
      if (!featuresOf(config).verifyEmailAddress) return
      const now = clock()
      for (const unverified of await listUnverified(database, now, unverifiedPerSweep)) {
        await database.transaction((tx) => removeUnverified(tx, unverified, now))
      }
    },
    /** Tells the others that billing was switched off, or on again; true when all is told. */
    tellOfBilling: async (): Promise<boolean> => {
      const page = { billed: config.billed, now: clock(), limit: pageSize }
      return (await tellOfBilling(database, page)) < pageSize
    },
    /** Removes some of what has expired; true when little or nothing is left. */
    removeExpired: async (): Promise<boolean> => {
      let most = 0
      for (const table of expiringTables) {
        const removed = await deleteExpired(database, table, { now: clock(), limit: rowsPerTable })
        most = Math.max(most, removed)
      }
      return most < rowsPerTable
    },
  }
}
