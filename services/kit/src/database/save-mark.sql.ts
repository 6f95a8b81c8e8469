import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import type { Change } from '../events/changes.ts'
import { newId } from '../values/id.ts'
import { type BankAccountKey, keyOf } from './aggregate-key.ts'

/** A save that can be looked up, because it alone writes one row: an event or a mark. */
export interface MarkedSave extends BankAccountKey {
  /** The ID of the first event of the save, or of its mark if it has no events. */
  saveId: string
}

/** The `route` of marks in the table idempotency_keys. */
const saveRoute = 'save'

/**
 * Makes the save of a change set identifiable. The mark is a row of idempotency_keys without a
 * request. It is kept for a day; look-ups of a save happen within seconds.
 */
export function markSave<ChangeSet extends { replies: readonly object[] }>(
  changeSet: ChangeSet,
  { accountId, bankAccountId }: BankAccountKey,
  event?: Change,
): ChangeSet & MarkedSave {
  const saveId = event?.changeId ?? newId('save')
  const nothing = Buffer.alloc(0)
  const mark = { accountId, route: saveRoute, key: saveId, bodyHash: nothing, reply: nothing }
  const replies = event ? changeSet.replies : [...changeSet.replies, mark]
  return { ...changeSet, accountId, bankAccountId, saveId, replies }
}

/** Returns the keys of the aggregates whose save is committed, even if other saves followed. */
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
