import { repeat } from '@coffer/kit/service/repeat'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import type { settings } from '../config.ts'
import { listFeeds, removeEntries } from './feed.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'database' | 'config' | 'log'>

const accountsPerPage = 500
const entriesPerStatement = 1_000

/** Removes old entries of all feeds every hour, in each process of the service. */
export function startFeedSweep(deps: Deps): AsyncDisposable {
  const round = async (stopping: AbortSignal): Promise<void> => {
    try {
      await sweepFeeds(deps, stopping)
    } catch (error) {
      deps.log.warn({ err: error }, 'old changes were not removed')
    }
  }
  return repeat(round, { everyMs: hourMs, isDelayed: true })
}

/** Removes the entries of all feeds that are older than the setting, account by account. */
export async function sweepFeeds(
  { database, config }: Pick<Deps, 'database'> & { config: Pick<Deps['config'], 'changesDays'> },
  stopping?: AbortSignal,
): Promise<void> {
  const before = new Date((await database.now()).getTime() - config.changesDays * dayMs)
  let after = ''
  for (;;) {
    const accountIds = await listFeeds(database, { after, limit: accountsPerPage })
    for (const accountId of accountIds) {
      let count = entriesPerStatement
      while (count === entriesPerStatement && !stopping?.aborted) {
        count = await removeEntries(database, { accountId, before, limit: entriesPerStatement })
      }
    }
    const last = accountIds.at(accountsPerPage - 1)
    if (last === undefined || stopping?.aborted) return
    after = last
  }
}
