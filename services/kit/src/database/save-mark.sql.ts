import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Change } from '../events/changes.ts'
import { newId } from '../values/id.ts'
import { type AggregateKey, keyOf } from './aggregate-key.ts'

/** A save of one aggregate. It leaves a row that no other save can write: an event, or a mark. */
export interface MarkedSave extends AggregateKey {
  /** The ID of its first event; without any, that of its mark. */
  saveId: string
}

/** The route of replies that name a save without events. */
const saveRoute = 'save'

/**
 * The change set as a save that can be found. A mark is a reply without a request: it is kept for a
 * day, long after its save has been asked for.
 */
export function markSave<ChangeSet extends { replies: readonly object[] }>(
  changeSet: ChangeSet,
  { accountId, bankAccountId }: AggregateKey,
  event?: Change,
): ChangeSet & MarkedSave {
  const saveId = event?.changeId ?? newId('save')
  const nothing = Buffer.alloc(0)
  const mark = { accountId, route: saveRoute, key: saveId, bodyHash: nothing, reply: nothing }
  const replies = event ? changeSet.replies : [...changeSet.replies, mark]
  return { ...changeSet, accountId, bankAccountId, saveId, replies }
}

/** The keys of the aggregates whose save is committed, whatever other saves came after it. */
export async function findMarkedSaves(
  connection: CommonQueryMethods,
  saves: readonly MarkedSave[],
): Promise<Set<string>> {
  const listOf = (name: 'accountId' | 'saveId') =>
    sql.array(
      saves.map((save) => save[name]),
      'text',
    )
  const found = await connection.anyFirst(sql.type(z.object({ saveId: z.string() }))`
    SELECT change_id AS "saveId" FROM changes
    WHERE account_id = ANY(${listOf('accountId')}) AND change_id = ANY(${listOf('saveId')})
    UNION ALL
    SELECT key FROM idempotency_keys
    WHERE account_id = ANY(${listOf('accountId')}) AND route = ${saveRoute}
      AND key = ANY(${listOf('saveId')})`)
  return new Set(saves.filter(({ saveId }) => found.includes(saveId)).map(keyOf))
}
