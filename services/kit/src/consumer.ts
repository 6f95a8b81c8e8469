import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import { AckPolicy, type Consumer, type JsMsg, jetstreamManager } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { sql } from 'slonik'
import { z } from 'zod'
import { subjectOf } from './changes.ts'
import type { Transaction } from './database.ts'
import { isTransient } from './errors.ts'
import type { Log } from './log.ts'
import type { Broker } from './nats.ts'
import { deadLetters } from './telemetry.ts'

/** Where a message comes from. */
export interface Delivery {
  /** ID of the change; the same at every delivery. */
  changeId: string
  accountId: string
  consumer: string
}

/** What a consumer does with one type of message. */
export interface Handler {
  subject: string
  handle: (payload: Uint8Array, delivery: Delivery) => Promise<void>
}

/**
 * A handler of one message type. An event that carries state must be applied by its version, one
 * that causes an effect must go through `isFirstDelivery`: redelivery and disorder do nothing.
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

/** Records the delivery in the transaction of its effect; false when the effect is already had. */
export async function isFirstDelivery(tx: Transaction, delivery: Delivery): Promise<boolean> {
  const received = await tx.maybeOne(sql.type(z.object({ changeId: z.string() }))`
    INSERT INTO inbox (consumer, change_id) VALUES (${delivery.consumer}, ${delivery.changeId})
    ON CONFLICT DO NOTHING RETURNING change_id AS "changeId"`)
  return received !== null
}

const deliveriesMax = 8
const quietAttempts = 3
const inFlightMax = 64
const backoffMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000]

export interface ConsumerOptions {
  /** Name of the durable consumer: the service, then what it is for. */
  name: string
  handlers: Handler[]
  broker: Broker
  log: Log
}

/**
 * Consumes the handlers' subjects through one durable consumer. A message whose handler throws
 * comes again after a growing pause; after the last delivery it goes to the dead-letter subject.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const consumer = await durable(options)
  const messages = await consumer.consume({ max_messages: inFlightMax })
  const bySubject = new Map(
    options.handlers.map((handler) => [options.broker.subject(handler.subject), handler]),
  )
  const underWay = new Set<Promise<void>>()
  const run = async (): Promise<void> => {
    for await (const message of messages) {
      const work = deliver(options, bySubject.get(message.subject), message)
      underWay.add(work)
      void work.finally(() => underWay.delete(work))
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      messages.stop()
      await running
      await Promise.all(underWay)
    },
  }
}

async function durable({ name, handlers, broker }: ConsumerOptions): Promise<Consumer> {
  const manager = await jetstreamManager(broker.connection, { timeout: 5_000 })
  const { streamName } = broker
  const config = {
    filter_subjects: handlers.map(({ subject }) => broker.subject(subject)),
    max_deliver: -1,
    max_ack_pending: inFlightMax,
    ack_wait: nanos(30_000),
  }
  try {
    await manager.consumers.update(streamName, name, config)
  } catch {
    await manager.consumers.add(streamName, {
      ...config,
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
    })
  }
  return broker.stream.consumers.get(streamName, name)
}

async function deliver(
  { name, broker, log }: ConsumerOptions,
  handler: Handler | undefined,
  message: JsMsg,
): Promise<void> {
  const delivery = {
    changeId: message.headers?.get('Nats-Msg-Id') ?? '',
    accountId: message.headers?.get('Coffer-Account') ?? '',
    consumer: name,
  }
  try {
    await handler?.handle(message.data, delivery)
    message.ack()
  } catch (error) {
    const attempt = message.info.deliveryCount
    // What mends itself (a conflict, a service that restarts) is news only when it lasts.
    const passing = error instanceof ConnectError && isTransient(error)
    const level = passing && attempt <= quietAttempts ? 'debug' : 'warn'
    log[level]({ err: error, attempt, ...delivery }, 'message not handled')
    if (attempt < deliveriesMax) {
      message.nak(backoffMs[attempt - 1])
    } else {
      await buryMessage(broker, name, message)
    }
  }
}

async function buryMessage(broker: Broker, name: string, message: JsMsg): Promise<void> {
  const subject = broker.subject(`dead.${name}`)
  try {
    await broker.stream.publish(subject, message.data, { headers: message.headers as never })
    deadLetters.inc({ consumer: name })
    message.term('given up')
  } catch {
    message.nak(backoffMs.at(-1))
  }
}
