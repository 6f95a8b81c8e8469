import { repeat } from '@coffer/kit/service/repeat'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import type { settings } from '../config.ts'
import { listFeeds, removeEvents } from './feed.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'database' | 'config' | 'log'>

const accountsPerPage = 500
const eventsPerStatement = 1_000

/** Removes old events of all feeds every hour, in each process of the service. */
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

/** Removes the events of all feeds that are older than the setting, account by account. */
export async function sweepFeeds(
  { database, config }: Pick<Deps, 'database'> & { config: Pick<Deps['config'], 'changesDays'> },
  stopping?: AbortSignal,
): Promise<void> {
  const before = new Date((await database.now()).getTime() - config.changesDays * dayMs)
  let after = ''
  for (;;) {
    const accountIds = await listFeeds(database, { after, limit: accountsPerPage })
    for (const accountId of accountIds) {
      let count = eventsPerStatement
      while (count === eventsPerStatement && !stopping?.aborted) {
        count = await removeEvents(database, { accountId, before, limit: eventsPerStatement })
      }
    }
    const last = accountIds.at(accountsPerPage - 1)
    if (last === undefined || stopping?.aborted) return
    after = last
  }
}
