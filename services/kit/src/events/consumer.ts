import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { ConnectError } from '@connectrpc/connect'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Transaction } from '../database/database.ts'
import { isTransient } from '../rpc/errors.ts'
import { isOutage } from '../rpc/fault.ts'
import { keepRunning } from '../service/keep-running.ts'
import type { Log } from '../service/log.ts'
import { deadLetters } from '../service/telemetry.ts'
import { subjectOf } from './changes.ts'
import { type DurableConsumer, ensureConsumer } from './durable-consumer.ts'
import type { Broker } from './nats.ts'

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
export async function isFirstDelivery(
  tx: Transaction,
  delivery: Pick<Delivery, 'consumer' | 'changeId'>,
): Promise<boolean> {
  const received = await tx.maybeOne(sql.type(z.object({ changeId: z.string() }))`
    INSERT INTO inbox (consumer, change_id) VALUES (${delivery.consumer}, ${delivery.changeId})
    ON CONFLICT DO NOTHING RETURNING change_id AS "changeId"`)
  return received !== null
}

const quietAttempts = 3
/** Messages that one consumer of a process handles at a time. */
const inFlightMax = 64
// Few, as the server hears nothing of those that wait here for their turn.
const fetchedMax = 16
const ackWaitMsDefault = 10_000
const restartMs = 1_000
// A process of a release whose filter did not only grow may have narrowed it.
const renewMs = 30_000
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

/** What the consumer of one process knows while it runs. */
interface Consuming {
  options: ConsumerOptions
  underWay: Set<Promise<void>>
  /** Subjects that are told of once: those without a handler, and those that wait for an outage. */
  unknown: Set<string>
  waiting: Set<string>
}

/**
 * Consumes the handlers' subjects through one durable consumer, many messages at a time and in no
 * order. A message whose handler throws comes again after a growing pause; after the last delivery
 * it goes to the dead-letter subject, unless the database or another service is away: for that it
 * waits. A message of a subject without a handler is put back for a newer version. A consumer that
 * the server has lost is made again.
 */
export async function startConsumer(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { name: consumer, log } = options
  const underWay = new Set<Promise<void>>()
  const state: Consuming = { options, underWay, unknown: new Set(), waiting: new Set() }
  const running = await keepRunning({
    make: async () => {
      const messages = await consume(options)
      return { run: () => deliverAll(state, messages), stop: () => messages.stop() }
    },
    restartMs,
    onBroken: (error) => log.warn({ err: error, consumer }, 'consumer is lost'),
    onMended: () => log.info({ consumer }, 'consumer is made again'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      await Promise.all(underWay)
    },
  }
}

async function consume(options: ConsumerOptions): Promise<ConsumerMessages> {
  const { name, broker } = options
  await ensureConsumer(durableOf(options))
  const consumer = await broker.stream.consumers.get(broker.streamName, name)
  return consumer.consume({ max_messages: fetchedMax, abort_on_missing_resource: true })
}

function durableOf(options: ConsumerOptions): DurableConsumer {
  const { name, handlers, broker, ackWaitMs = ackWaitMsDefault } = options
  const subjects = handlers.map(({ subject }) => broker.subject(subject))
  return { broker, name, subjects, ackWaitMs }
}

async function deliverAll(state: Consuming, messages: ConsumerMessages): Promise<void> {
  const { options, underWay } = state
  const renewal = setInterval(() => {
    // A fault here is told by the messages that do not come.
    ensureConsumer(durableOf(options)).catch(() => undefined)
  }, renewMs)
  try {
    for await (const message of messages) {
      while (underWay.size >= inFlightMax) await Promise.race(underWay)
      const work = deliver(state, message).catch((error) => {
        options.log.warn({ err: error, consumer: options.name }, 'message not settled')
      })
      underWay.add(work)
      void work.finally(() => underWay.delete(work))
    }
  } finally {
    clearInterval(renewal)
  }
}

async function deliver(state: Consuming, message: JsMsg): Promise<void> {
  const { name, handlers, broker, ackWaitMs = ackWaitMsDefault } = state.options
  const handler = handlers.find(({ subject }) => broker.subject(subject) === message.subject)
  if (!handler) return putBackUnknown(state, message)
  const delivery = {
    changeId: message.headers?.get('Nats-Msg-Id') ?? '',
    accountId: message.headers?.get('Coffer-Account') ?? '',
    consumer: name,
  }
  // Without a word the server would give a slow message to somebody else.
  const atWork = setInterval(() => message.working(), ackWaitMs / 3)
  try {
    await handler.handle(message.data, delivery)
    message.ack()
    sayHandled(state, message)
  } catch (error) {
    sayFailed(state, message, { error, delivery })
    const isLast = message.info.deliveryCount > pausesOf(state.options).length
    if (isLast && !isOutage(error)) await bury(state.options, message, delivery)
    else putBack(state.options, message)
  } finally {
    clearInterval(atWork)
  }
}

/** Leaves a message to a newer version, which runs beside this one or will run again. */
function putBackUnknown({ options, unknown }: Consuming, message: JsMsg): void {
  putBack(options, message)
  const { subject } = message
  if (unknown.has(subject)) return
  unknown.add(subject)
  const text = 'messages of a subject that this version does not know are put back'
  options.log.warn({ consumer: options.name, subject }, text)
}

/** Has the message delivered again after a pause, to this process or another. */
function putBack(options: ConsumerOptions, message: JsMsg): void {
  const pauses = pausesOf(options)
  message.nak(pauses[message.info.deliveryCount - 1] ?? pauses.at(-1))
}

function pausesOf({ retryPausesMs = pausesMs }: ConsumerOptions): number[] {
  return retryPausesMs
}

/** Transient errors are logged at debug for the first three attempts, an outage is one line. */
function sayFailed(
  { options, waiting }: Consuming,
  { subject, info }: JsMsg,
  { error, delivery }: { error: unknown; delivery: Delivery },
): void {
  const attempt = info.deliveryCount
  const isTold = isOutage(error) && waiting.has(subject)
  const isPassing = error instanceof ConnectError && isTransient(error)
  const level = isTold || (isPassing && attempt <= quietAttempts) ? 'debug' : 'warn'
  options.log[level]({ err: error, attempt, subject, ...delivery }, 'message not handled')
  if (level === 'warn' && isOutage(error)) waiting.add(subject)
}

function sayHandled({ options, waiting }: Consuming, { subject }: JsMsg): void {
  if (!waiting.delete(subject)) return
  options.log.info({ consumer: options.name, subject }, 'messages are handled again')
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
