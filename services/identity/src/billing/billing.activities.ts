import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { trialEnd } from '../book/subscription.ts'
import { type FeatureSettings, featuresOf } from '../features.ts'
import { queueMail } from '../mail/mail.sql.ts'
import type { Billing } from './billing.client.ts'
import { startCustomer } from './billing.consumer.ts'
import { findBilledAccount } from './billing.sql.ts'
import { ensureCustomer, readSubscription } from './billing-account.service.ts'
import {
  beginTrials,
  emitTrialsEnding,
  listOverdueSubscriptions,
  listWithoutCustomer,
} from './billing-sweep.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows' | 'clock'> & {
  config: { trialDays: number } & FeatureSettings
  billing: Billing
}

const pageSize = 200
const customerGraceMs = 60_000

// Owners get a mail five days before the trial ends (docs/billing.md#what-a-lapse-does).
const noticeMs = 5 * dayMs

// Webhooks may be lost: an overdue subscription is read from Stripe again after this time.
const overdueReadMs = 12 * hourMs
// Maximum number of overdue subscriptions read per run of the schedule.
const overdueMax = 100

/** Returns the Temporal activities of billing; each can be repeated and handles one page. */
export function billingActivities(deps: Deps) {
  const { database, workflows, config } = deps
  const before = async (ms: number) => new Date((await database.now()).getTime() - ms)
  return {
    createCustomer: async (accountId: string): Promise<void> => {
      if (await findBilledAccount(database, accountId)) await ensureCustomer(deps, accountId)
    },
    /** Starts trials of a page of accounts that have had none; returns true after the last page. */
    beginTrials: async (): Promise<boolean> => {
      const endsAt = trialEnd(await database.now(), config.trialDays)
      return (await beginTrials(database, endsAt, pageSize)) < pageSize
    },
    /**
     * Starts a workflow for each account of a page that has no customer at Stripe. Returns the
     * page's last account ID, null after the last page.
     */
    startCustomers: async (after: string): Promise<string | null> => {
      const page = { before: await before(customerGraceMs), after, limit: pageSize }
      const accountIds = await listWithoutCustomer(database, page)
      for (const accountId of accountIds) await startCustomer(workflows, accountId)
      return accountIds.at(pageSize - 1) ?? null
    },
    /** Notifies owners once that their trial ends; returns true after the last page. */
    noteTrialsEnding: async (): Promise<boolean> => {
      const now = await database.now()
      const page = { now, until: new Date(now.getTime() + noticeMs), limit: pageSize }
      const emitted = await emitTrialsEnding(database, page, async (tx, email) => {
        if (!featuresOf(config).sendsMail) return
        if (await queueMail(tx, { kind: 'trial-ending', email }, now)) return
        throw unavailable(say('MAILS_BUSY'))
      })
      return emitted < pageSize
    },
    /** Returns IDs of at most 100 accounts whose active subscription is past its paid period. */
    listOverdue: async (): Promise<string[]> => {
      const now = await database.now()
      const page = { now, readBefore: await before(overdueReadMs), limit: overdueMax }
      return [...(await listOverdueSubscriptions(database, page))]
    },
    readSubscription: (accountId: string): Promise<boolean> => readSubscription(deps, accountId),
  }
}
