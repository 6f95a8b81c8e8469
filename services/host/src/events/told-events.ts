import { fromBinary } from '@bufbuild/protobuf'
import type { Database } from '@coffer/kit/database/database'
import { EnvelopesChangedSchema, ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'

const Told = z.object({ type: z.string(), payload: z.instanceof(Buffer) })

/** SQL condition for rows of the outbox that may contain changed objects for clients. */
export const tells = sql.fragment`
  (type LIKE '%.ObjectsChanged' OR type = ${EnvelopesChangedSchema.typeName})`

/**
 * Returns the changed objects in an event of any service, grouped by cause. `ObjectsChanged` has
 * the same fields in all services, so the ledger's schema decodes it. An event of changed envelopes
 * may contain no changed object.
 */
export function partsOf({ type, payload }: z.infer<typeof Told>) {
  return type === EnvelopesChangedSchema.typeName
    ? fromBinary(EnvelopesChangedSchema, payload).told
    : [fromBinary(ObjectsChangedSchema, payload)]
}

const Row = Told.extend({ accountId: z.string(), eventId: z.string() })

const pageSize = 2_000

/**
 * Lists the events of a service with changed objects, page by page, for the audit of notices: those
 * published at least an hour ago and younger than 90 days, whose IDs the inbox of notices still
 * has.
 */
export async function* toldEventsOf({
  pool,
}: Database): AsyncGenerator<{ accountId: string; eventId: string }[]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: readonly z.infer<typeof Row>[] = await pool.any(sql.type(Row)`
      SELECT account_id AS "accountId", change_id AS "eventId", type, payload FROM changes
      WHERE change_id > ${after} AND ${tells} AND published_at < now() - interval '1 hour'
        AND created_at > now() - interval '90 days'
      ORDER BY change_id LIMIT ${pageSize}`)
    yield rows.filter((row) => partsOf(row).some(({ objects }) => objects.length > 0))
    after = rows.at(pageSize - 1)?.eventId
  }
}
