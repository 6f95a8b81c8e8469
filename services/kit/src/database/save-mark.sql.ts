import { sql } from 'slonik'
import { z } from 'zod'
import { newId } from '../values/id.ts'
import { type BankAccountKey, keyOf } from './aggregate-key.ts'
import type { Queries } from './database.ts'

/**
 * A change set that writes a row with a unique ID. By this ID `findMarkedSaves` finds out whether a
 * save is committed whose connection broke before the answer.
 */
export interface MarkedSave extends BankAccountKey {
  /** ID of the save's first event; without events, key of its row in idempotency_keys. */
  saveId: string
}

/**
 * Value of `route` that distinguishes the marker rows of saves from the stored replies, which are
 * in the same table idempotency_keys.
 */
const saveRoute = 'save'

/**
 * Adds the ID by which `findMarkedSaves` finds the save; `event` is its first event. A save without
 * events also gets a marker row in idempotency_keys, which is deleted after a day.
 */
export function markSave<ChangeSet extends { replies: readonly object[] }>(
  changeSet: ChangeSet,
  { accountId, bankAccountId }: BankAccountKey,
  event?: { changeId: string },
): ChangeSet & MarkedSave {
  const saveId = event?.changeId ?? newId('save')
  const nothing = Buffer.alloc(0)
  const mark = { accountId, route: saveRoute, key: saveId, bodyHash: nothing, reply: nothing }
  const replies = event ? changeSet.replies : [...changeSet.replies, mark]
  return { ...changeSet, accountId, bankAccountId, saveId, replies }
}

/** Returns the keys of aggregates whose save is committed, even if later saves followed. */
export async function findMarkedSaves(
  connection: Queries,
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
