import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type FragmentSqlToken, type QuerySqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { Transaction } from '../database/database.ts'
import { currentTraceparent } from '../telemetry/trace.ts'
import { newId } from '../values/id.ts'

/** A row of the outbox: a message about one entity, which the relay publishes after the commit. */
export const Change = z.object({
  changeId: z.string(),
  accountId: z.string(),
  /** Full name of the protobuf message type. */
  type: z.string(),
  entityId: z.string(),
  version: z.bigint(),
  payload: z.instanceof(Buffer),
  /** `traceparent` of the span that made the change; null if none is sampled. */
  traceContext: z.string().nullable(),
})
export type Change = z.infer<typeof Change>

/** Maximum number of entities that the payload of a change may list, to fit a NATS message. */
export const entitiesMax = 200

/** The entity that a change is about; consumers order its changes by `version`. */
export interface Subject {
  accountId: string
  entityId: string
  version: bigint
}

/** Returns the outbox row of a protobuf message about one entity. */
export function changeOf<Desc extends DescMessage>(
  schema: Desc,
  subject: Subject,
  message: MessageInitShape<Desc>,
): Change {
  return {
    changeId: newId('chg'),
    ...subject,
    type: schema.typeName,
    payload: Buffer.from(toBinary(schema, create(schema, message))),
    traceContext: currentTraceparent(),
  }
}

/** Inserts changes into the outbox in the caller's transaction; the relay publishes them later. */
export async function emit(tx: Transaction, ...changes: Change[]): Promise<void> {
  if (changes.length > 0) await tx.query(sql.unsafe`${insertChanges(changes)}`)
}

/** Returns the INSERT into the outbox, for use as a CTE of a larger statement. */
export function insertChanges(changes: Change[]): FragmentSqlToken {
  return sql.fragment`
    INSERT INTO changes (change_id, account_id, type, entity_id, version, payload, trace_context)
    SELECT * FROM ${sql.unnest(
      changes.map((change) => [
        change.changeId,
        change.accountId,
        change.type,
        change.entityId,
        change.version,
        change.payload,
        change.traceContext,
      ]),
      ['text', 'text', 'text', 'text', 'int8', 'bytea', 'text'],
    )}`
}

/**
 * Returns a statement that runs an INSERT, UPDATE or DELETE, and emits the changes only if it has
 * affected a row. Its row count is the number of affected rows. Run the statement by
 * `database.autocommit`, which wakes the relay.
 */
export function emitIfWritten(write: FragmentSqlToken, changes: Change[]): QuerySqlToken {
  return sql.unsafe`
    WITH written AS (${write} RETURNING 1 AS row),
      emitted AS (${insertChanges(changes)} WHERE EXISTS (SELECT FROM written))
    SELECT FROM written`
}

/**
 * Returns the NATS subject of a message type, without the deployment's prefix:
 * `ledger.link-deleted` for `coffer.ledger.v1.LinkDeleted`.
 */
export function subjectOf(typeName: string): string {
  const [, service = '', , message = ''] = typeName.split('.')
  return `${service}.${message.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`
}
