import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { Transaction } from '../database/database.ts'
import { newId } from '../values/id.ts'

/** A change of an entity, as the row that will be published. */
export const Change = z.object({
  changeId: z.string(),
  accountId: z.string(),
  /** Full name of the message type. */
  type: z.string(),
  entityId: z.string(),
  version: z.bigint(),
  payload: z.instanceof(Buffer),
})
export type Change = z.infer<typeof Change>

/** Entities in one change at most: more are several changes, so that none is too large for NATS. */
export const entitiesMax = 200

/** What a change is about; `version` orders the changes of one entity. */
export interface Subject {
  accountId: string
  entityId: string
  version: bigint
}

/** The row of a change: a message in the past tense about one entity. */
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
  }
}

/** Records changes in the transaction that makes them; the relay publishes them after commit. */
export async function emit(tx: Transaction, ...changes: Change[]): Promise<void> {
  if (changes.length > 0) await tx.query(sql.unsafe`${insertChanges(changes)}`)
}

/** The statement of `emit` for use inside a larger one (as a CTE). */
export function insertChanges(changes: Change[]): FragmentSqlToken {
  return sql.fragment`
    INSERT INTO changes (change_id, account_id, type, entity_id, version, payload)
    SELECT * FROM ${sql.unnest(
      changes.map((c) => [c.changeId, c.accountId, c.type, c.entityId, c.version, c.payload]),
      ['text', 'text', 'text', 'text', 'int8', 'bytea'],
    )}`
}

/** NATS subject of a message type: coffer.ledger.v1.LinkDeleted is ledger.link-deleted. */
export function subjectOf(typeName: string): string {
  const [, service = '', , message = ''] = typeName.split('.')
  return `${service}.${message.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`
}
