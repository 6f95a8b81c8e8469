import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import {
  AckPolicy,
  type ConsumerMessages,
  JetStreamApiCodes,
  JetStreamApiError,
  type JsMsg,
  jetstreamManager,
} from '@nats-io/jetstream'
import { headers, nanos } from '@nats-io/transport-node'
import { sql } from 'slonik'
import { z } from 'zod'
import { subjectOf } from './changes.ts'
import type { Transaction } from './database.ts'
import { isTransient } from './errors.ts'
import { isOutage } from './fault.ts'
import { keepRunning } from './keep-running.ts'
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

const quietAttempts = 3
/** Messages that one consumer of a process handles at a time. */
export const inFlightMax = 64
// Few, as the server hears nothing of those that wait here for their turn.
const fetchedMax = 16
// Beyond those in flight, so that messages that wait out a pause do not hold up the others.
const pendingMax = 1_024
const ackWaitMsDefault = 10_000
const restartMs = 1_000
const pausesMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000]

export interface ConsumerOptions {
  /** Name of the durable consumer: the service, then what it is for. */
  name: string
  handlers: Handler[]
  broker: Broker
  log: Log
  /** Pauses between the deliveries of a message that fails; after the last it is given up. */
  retryPausesMs?: number[]
  /** How long the server waits for word of a message before it delivers it again. */
  ackWaitMs?: number
}

/**
 * Consumes the handlers' subjects through one durable consumer, many messages at a time and in no
 * order. A message whose handler throws comes again after a growing pause; after the last delivery
 * it goes to the dead-letter subject, unless the database or another service is away: for that it
 * waits. A consumer that the server has lost is made again.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { name: consumer, log } = options
  const underWay = new Set<Promise<void>>()
  const running = await keepRunning({
    make: async () => {
      const messages = await consume(options)
      return { run: () => deliverAll(options, messages, underWay), stop: () => messages.stop() }
    },
    restartMs,
    onBroken: (error) => log.warn({ err: error, consumer }, 'consumer is lost'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      await Promise.all(underWay)
    },
  }
}

async function consume(options: ConsumerOptions): Promise<ConsumerMessages> {
  const { name, handlers, broker, ackWaitMs = ackWaitMsDefault } = options
  const manager = await jetstreamManager(broker.connection, { timeout: 5_000 })
  const { streamName } = broker
  const config = {
    filter_subjects: handlers.map(({ subject }) => broker.subject(subject)),
    max_deliver: -1,
    max_ack_pending: pendingMax,
    ack_wait: nanos(ackWaitMs),
  }
  try {
    await manager.consumers.update(streamName, name, config)
  } catch (error) {
    const isNew =
      error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound
    if (!isNew) throw error
    const made = { durable_name: name, ack_policy: AckPolicy.Explicit }
    await manager.consumers.add(streamName, { ...config, ...made })
  }
  const consumer = await broker.stream.consumers.get(streamName, name)
  return consumer.consume({ max_messages: fetchedMax, abort_on_missing_resource: true })
}

async function deliverAll(
  options: ConsumerOptions,
  messages: ConsumerMessages,
  underWay: Set<Promise<void>>,
): Promise<void> {
  for await (const message of messages) {
    while (underWay.size >= inFlightMax) await Promise.race(underWay)
    const work = deliver(options, message).catch((error) => {
      options.log.warn({ err: error, consumer: options.name }, 'message not settled')
    })
    underWay.add(work)
    void work.finally(() => underWay.delete(work))
  }
}

async function deliver(options: ConsumerOptions, message: JsMsg): Promise<void> {
  const { name, handlers, broker, log, ackWaitMs = ackWaitMsDefault } = options
  const handler = handlers.find(({ subject }) => broker.subject(subject) === message.subject)
  const delivery = {
    changeId: message.headers?.get('Nats-Msg-Id') ?? '',
    accountId: message.headers?.get('Coffer-Account') ?? '',
    consumer: name,
  }
  // Without a word the server would give a slow message to somebody else.
  const atWork = setInterval(() => message.working(), ackWaitMs / 3)
  try {
    await handler?.handle(message.data, delivery)
    message.ack()
  } catch (error) {
    const attempt = message.info.deliveryCount
    // What mends itself (a conflict, a service that restarts) is news only when it lasts.
    const passing = error instanceof ConnectError && isTransient(error)
    const level = passing && attempt <= quietAttempts ? 'debug' : 'warn'
    log[level]({ err: error, attempt, ...delivery }, 'message not handled')
    const pauses = options.retryPausesMs ?? pausesMs
    if (attempt <= pauses.length || isOutage(error)) {
      message.nak(pauses[attempt - 1] ?? pauses.at(-1))
    } else {
      await bury(options, message, delivery)
    }
  } finally {
    clearInterval(atWork)
  }
}

/** Puts a message aside, under an ID of its own: under its first one it would be a duplicate. */
async function bury(
  { broker, name, retryPausesMs = pausesMs }: ConsumerOptions,
  message: JsMsg,
  { changeId, accountId }: Delivery,
): Promise<void> {
  const header = headers()
  header.set('Coffer-Account', accountId)
  header.set('Coffer-Change', changeId)
  header.set('Coffer-Subject', message.subject)
  try {
    const msgID = `dead.${name}.${changeId}`
    await broker.stream.publish(broker.subject(`dead.${name}`), message.data, {
      msgID,
      headers: header,
    })
  } catch {
    message.nak(retryPausesMs.at(-1))
    return
  }
  deadLetters.inc({ consumer: name })
  message.term('given up')
}
