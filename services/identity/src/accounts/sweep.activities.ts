import type { ServiceDeps } from '@coffer/kit/service/service'
import { emitBillingSwitch } from '../billing/billing-sweep.sql.ts'
import { type FeatureSettings, featuresOf } from '../features.ts'
import { startMail } from '../mail/mail.consumer.ts'
import { deleteMail, listMails } from '../mail/mail.sql.ts'
import { deleteExpired, expiringTables, listUnverified, removeUnverified } from './sweep.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows' | 'log'> & {
  config: FeatureSettings & { billed: boolean }
}

const pageSize = 200
const rowsPerTable = 1_000
// Maximum accounts deleted per sweep, because each deletion is a workflow over all services.
const unverifiedPerSweep = 500
const graceMs = 30_000
// Age at which an unsent mail is dropped: its workflow retries for a day only (mail.workflow.ts).
const givenUpAfterMs = 25 * 60 * 60_000

/** Returns the Temporal activities of identity's sweep (docs/events.md#sweeps). */
export function sweepActivities({ config, database, workflows, log }: Deps) {
  const before = async (ms: number) => new Date((await database.now()).getTime() - ms)
  return {
    /**
     * Restarts a page of unsent mails, drops those older than 25 hours. Returns the page's last
     * mail ID, null after the last page.
     */
    restartMails: async (after: string): Promise<string | null> => {
      const page = { after, limit: pageSize }
      const lost = await listMails(database, { ...page, before: await before(givenUpAfterMs) })
      for (const mailId of lost) {
        log.warn({ mailId }, 'mail not sent within a day, dropped')
        await deleteMail(database, mailId)
      }
      const waiting = await listMails(database, { ...page, before: await before(graceMs) })
      for (const mailId of waiting) await startMail(workflows, mailId)
      return waiting.at(pageSize - 1) ?? null
    },
    /** Requests the deletion of at most 500 accounts whose address was not verified in time. */
    removeUnverified: async (): Promise<void> => {
      if (!featuresOf(config).verifyEmailAddress) return
      const now = await database.now()
      for (const unverified of await listUnverified(database, now, unverifiedPerSweep)) {
        await database.transaction((tx) => removeUnverified(tx, unverified, now))
      }
    },
    /** Emits a page of settings after billing was switched on or off; true after the last page. */
    tellOfBilling: async (): Promise<boolean> => {
      const page = { billed: config.billed, now: await database.now(), limit: pageSize }
      return (await emitBillingSwitch(database, page)) < pageSize
    },
    /** Deletes at most 1,000 expired rows of each table; returns false if more may be left. */
    removeExpired: async (): Promise<boolean> => {
      const now = await database.now()
      let most = 0
      for (const table of expiringTables) {
        const removed = await deleteExpired(database, table, { now, limit: rowsPerTable })
        most = Math.max(most, removed)
      }
      return most < rowsPerTable
    },
  }
}
