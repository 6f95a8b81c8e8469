import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import { partsOf, tells } from '../src/events/told-events.ts'

/** A change of an object that a service has told, with its cause. */
export interface Told {
  type: string
  objectId: string
  bankAccountId: string | undefined
  version: bigint
  actor: string
  causeId: string
}

const Row = z.object({ type: z.string(), payload: z.instanceof(Buffer) })

/**
 * Lists the changes of objects that a service has told of an account, oldest first. The messages of
 * all services have the same fields.
 */
export async function listTold({ pool }: Database, accountId: string): Promise<Told[]> {
  const rows = await pool.any(sql.type(Row)`
    SELECT type, payload FROM changes
    WHERE account_id = ${accountId} AND ${tells} ORDER BY change_id`)
  return rows.flatMap(partsOf).flatMap(({ objects, cause }) =>
    objects.map(({ type, objectId, bankAccountId, version }) => {
      const { actor = '', causeId = '' } = cause ?? {}
      return { type, objectId, bankAccountId, version, actor, causeId }
    }),
  )
}

/** Runs `work`; returns the types and IDs that the service has told of the account meanwhile. */
export async function toldBy(
  database: Database,
  accountId: string,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const before = (await listTold(database, accountId)).length
  await work()
  const told = await listTold(database, accountId)
  return told.slice(before).map(({ type, objectId }) => `${type} ${objectId}`)
}
