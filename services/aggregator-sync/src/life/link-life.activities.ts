import { publishProgress } from '@coffer/kit/events/progress'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { endLapsed } from '@coffer/sync-kit/life/lapsed-links.activities'
import type { settings } from '../config.ts'
import { lockLink } from '../connections/aggregator-link.sql.ts'
import type { LinkKey } from '../connections/aggregator-link.ts'
import { saveStatement } from '../connections/link-status.sql.ts'
import { applyStatement } from '../connections/link-status.ts'
import { emitNotice } from '../connections/notice.sql.ts'
import { endConnection } from '../links/link-release.service.ts'
import { itemSyncs } from '../syncs/item-sync.sql.ts'
import { deleteOld, listExpiring } from './link-life.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'broker' | 'clock'>

const pageSize = 200
const noticeMs = 7 * dayMs

/**
 * Ages in ms at which rows are deleted: webhooks are refused after 5 minutes, so older receipts are
 * unused; institutions are read again when they are needed; links that were never created are
 * unused after their release.
 */
const ageMs = {
  webhook_receipts: hourMs,
  link_tokens: 0,
  institutions: dayMs,
  // Not earlier: an exchange of a token that ends late stores its item in this row, and the item
  // then has to be released.
  aggregator_links: dayMs,
} as const

const oldTables = ['webhook_receipts', 'link_tokens', 'institutions', 'aggregator_links'] as const

/**
 * Returns the Temporal activities of the daily check of links (docs/banks/aggregator.md#lapse).
 * Activities with a key `after` (empty: the first page) handle one page, and return its last key,
 * null after the last page. They do nothing while the aggregator is off.
 */
export function linkLifeActivities(deps: Deps) {
  const { config, database } = deps
  return {
    /** Mails users whose consent ends within a week, even if no webhook has announced the end. */
    warnOfConsents: async (after: string[]): Promise<string[] | null> => {
      if (!config.aggregatorEnabled) return null
      const now = await database.now()
      const of = { now, until: before(now, -noticeMs), after, limit: pageSize }
      const expiring = await listExpiring(database, of)
      for (const link of expiring) await warnOfConsent(deps, link)
      const last = expiring.at(pageSize - 1)
      return last ? [last.endsAt, last.accountId, last.linkId] : null
    },
    endLapsedLinks: endLapsed(deps, {
      store: itemSyncs,
      isEnabled: config.aggregatorEnabled,
      end: (key) => endConnection(deps, key),
    }),
    /** Deletes a page of expired rows; returns whether it was the last page. */
    deleteOldRows: async (): Promise<boolean> => {
      const now = await database.now()
      let isLast = true
      for (const table of oldTables) {
        const page = { before: before(now, ageMs[table]), limit: pageSize }
        if ((await deleteOld(database, table, page)) === pageSize) isLast = false
      }
      return isLast
    },
  }
}

function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms)
}

async function warnOfConsent({ database, broker, clock }: Deps, key: LinkKey): Promise<void> {
  const now = clock()
  const { accountId, linkId } = key
  const status = await database.transaction(async (tx) => {
    const link = await lockLink(tx, key)
    if (link?.status !== 'setup' && link?.status !== 'pending') return null
    const statement = { kind: 'expiring' as const, at: link.expirationDate, asOf: now }
    const stated = applyStatement(link, statement, now)
    const after = await emitNotice(tx, { before: link, after: stated })
    await saveStatement(tx, after)
    return after.status
  })
  if (status) publishProgress(broker, { accountId, id: linkId }, { linkId, status })
}
