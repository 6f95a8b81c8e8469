import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ChangeSchema, type FeedService } from '@coffer/proto/notices/v1/feed'
import type { ServiceImpl } from '@connectrpc/connect'
import { pageOf } from './entry.ts'
import { readFeed } from './feed.sql.ts'

/** Maximum number of entries that a page with a filter by types reads. */
const readMax = 1_000

const gone = say('CHANGES_REMOVED')

/** Maximum lead in µs of the clock of a former Postgres primary over that of its successor. */
const aheadMax = 3_600_000_000n

/** Returns the RPC handlers that read the change feed (docs/api/changes.md). */
export function feedRoutes({
  database,
}: Pick<ServiceDeps, 'database'>): ServiceImpl<typeof FeedService> {
  return {
    listChanges: async ({ after, fromEnd, types, limit }, context) => {
      const { accountId } = callerOf(context)
      const start = after ?? 0n
      // Without a filter, reads one entry more than the limit: if it exists, there is a next page.
      const length = types.length === 0 ? limit + 1 : readMax
      const feed = await readFeed(database, { accountId, after: start, types, readMax: length })
      if (fromEnd) return { position: feed?.lastPosition ?? 0n }
      if (feed === null) return { position: 0n }
      if (after !== undefined && after < feed.removedPosition) {
        throw refused(gone, { status: 410, code: 'CHANGES_REMOVED' })
      }
      if (start > feed.lastPosition) {
        // A made-up cursor in the future would hide all changes until its time.
        if (start > feed.now + aheadMax) throw invalid({ after: say('CURSOR') })
        // A fail-over has lost the change of this cursor. Reading continues at the end of the feed,
        // since new changes may have lower positions than the cursor.
        return { position: feed.lastPosition }
      }
      const { entries, position, hasMore } = pageOf(feed, { after: start, limit })
      return { changes: entries.map((entry) => toMessage(ChangeSchema, entry)), position, hasMore }
    },
  }
}
