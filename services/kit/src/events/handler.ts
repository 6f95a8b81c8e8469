import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Transaction } from '../database/database.ts'
import { subjectOf } from './changes.ts'

/** A change received from NATS, and the consumer that received it. */
export interface Delivery {
  /** Deduplication key: the same at each redelivery of the change. */
  changeId: string
  accountId: string
  consumer: string
}

/** Handles the changes of one NATS subject. */
export interface Handler {
  subject: string
  handle: (payload: Uint8Array, delivery: Delivery) => Promise<void>
}

/**
 * Returns a handler of one message type. Messages arrive at least once and in any order, so
 * handlers compare entity versions; if an effect has no version, they check `isFirstDelivery`.
 */
export function on<Desc extends DescMessage>(
  schema: Desc,
  handle: (event: MessageShape<Desc>, delivery: Delivery) => Promise<void>,
): Handler {
  return {
    subject: subjectOf(schema.typeName),
    handle: (payload, delivery) => handle(fromBinary(schema, payload), delivery),
  }
}

/**
 * Records a delivery in the inbox, in the transaction of its effect. Returns false for a redelivery
 * whose effect is already committed.
 */
export async function isFirstDelivery(
  tx: Transaction,
  delivery: Pick<Delivery, 'consumer' | 'changeId'>,
): Promise<boolean> {
  const received = await tx.maybeOne(sql.type(z.object({ changeId: z.string() }))`
    INSERT INTO inbox (consumer, change_id) VALUES (${delivery.consumer}, ${delivery.changeId})
    ON CONFLICT DO NOTHING RETURNING change_id AS "changeId"`)
  return received !== null
}
