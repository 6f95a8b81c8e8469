import type { Broker } from '@coffer/kit/events/broker'
import type { Delivery, Handler } from '@coffer/kit/events/handler'
import { isTransient } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import type { Log } from '@coffer/kit/service/log'
import { ConnectError } from '@connectrpc/connect'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { keepRunning } from '../keep-running.ts'
import { deadLetters } from '../metrics.ts'
import { type DurableConsumer, ensureConsumer } from './durable-consumer.ts'

/** Attempts whose transient errors are logged at debug. */
const quietAttempts = 3
/** Messages that one process handles concurrently for one consumer. */
const inFlightMax = 64
// Small prefetch: queued messages send no progress and would be redelivered.
const fetchedMax = 16
const ackWaitMsDefault = 10_000
const restartMs = 1_000
// The filter is renewed at this interval: a process of another release may have narrowed it.
const renewMs = 30_000
const pausesMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000]

/** Options of a durable consumer. */
export interface ConsumerOptions {
  /** Name of the durable consumer: the service, then its purpose. */
  name: string
  handlers: Handler[]
  broker: Broker
  log: Log
  /**
   * Pauses in ms before the redeliveries of a failed message; after the last one it becomes a dead
   * letter.
   */
  retryPausesMs?: number[]
  /**
   * Time in ms after which the server redelivers a message without an acknowledgement or progress.
   */
  ackWaitMs?: number
}

/** State of a running consumer in one process. */
interface Consuming {
  options: Required<ConsumerOptions>
  durable: DurableConsumer
  underWay: Set<Promise<void>>
  /**
   * Subjects that were already logged: those without a handler, and those that wait for an outage.
   */
  unknown: Set<string>
  waiting: Set<string>
}

/**
 * Consumes the handlers' subjects through one durable consumer, concurrently and in no order. It
 * never rejects: a consumer that cannot be reached or was lost is created again.
 *
 * A message whose handler throws is redelivered after a growing pause. After the last redelivery it
 * becomes a dead letter (docs/events.md#dead-letters). An outage of a dependency never makes dead
 * letters. A message without a handler is put back for a process of a newer release.
 */
export async function startConsumer(given: ConsumerOptions): Promise<AsyncDisposable> {
  const options = { retryPausesMs: pausesMs, ackWaitMs: ackWaitMsDefault, ...given }
  const { name: consumer, handlers, broker, log, ackWaitMs } = options
  const subjects = handlers.map(({ subject }) => broker.subject(subject))
  const state: Consuming = {
    options,
    durable: { broker, name: consumer, subjects, ackWaitMs },
    underWay: new Set(),
    unknown: new Set(),
    waiting: new Set(),
  }
  const running = await keepRunning({
    create: async () => {
      const messages = await consume(state.durable)
      return { run: () => deliverAll(state, messages), stop: () => messages.stop() }
    },
    restartMs,
    onFailure: (error) => log.warn({ err: error, consumer }, 'consumer lost, retrying'),
    onRecovery: () => log.info({ consumer }, 'consumer runs again'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      await Promise.all(state.underWay)
    },
  }
}

async function consume(durable: DurableConsumer): Promise<ConsumerMessages> {
  await ensureConsumer(durable)
  const { broker, name } = durable
  const consumer = await broker.stream.consumers.get(broker.streamName, name)
  return consumer.consume({ max_messages: fetchedMax, abort_on_missing_resource: true })
}

async function deliverAll(state: Consuming, messages: ConsumerMessages): Promise<void> {
  const { options, durable, underWay } = state
  const renewal = setInterval(() => {
    // A failure shows as messages that are not delivered; the next interval tries again.
    ensureConsumer(durable).catch(() => undefined)
  }, renewMs)
  try {
    for await (const message of messages) {
      while (underWay.size >= inFlightMax) await Promise.race(underWay)
      const work = deliver(state, message).catch((error) => {
        options.log.warn(
          { err: error, consumer: options.name },
          'message could not be acknowledged',
        )
      })
      underWay.add(work)
      void work.finally(() => underWay.delete(work))
    }
  } finally {
    clearInterval(renewal)
  }
}

async function deliver(state: Consuming, message: JsMsg): Promise<void> {
  const { name, handlers, broker, ackWaitMs, retryPausesMs } = state.options
  const handler = handlers.find(({ subject }) => broker.subject(subject) === message.subject)
  if (!handler) return putBackUnknown(state, message)
  const delivery = {
    changeId: message.headers?.get('Nats-Msg-Id') ?? '',
    accountId: message.headers?.get('Coffer-Account') ?? '',
    consumer: name,
  }
  // Progress (heartbeat): without it the server would redeliver a slow message to another process.
  const atWork = setInterval(() => message.working(), ackWaitMs / 3)
  try {
    await handler.handle(message.data, delivery)
    message.ack()
    logRecovery(state, message)
  } catch (error) {
    logFailure(state, message, { error, delivery })
    const isLast = message.info.deliveryCount > retryPausesMs.length
    if (isLast && !isOutage(error)) await publishDeadLetter(state.options, message, delivery)
    else putBack(state.options, message)
  } finally {
    clearInterval(atWork)
  }
}

/** Puts a message back for a process of a newer release, and logs its subject once. */
function putBackUnknown({ options, unknown }: Consuming, message: JsMsg): void {
  putBack(options, message)
  const { subject } = message
  if (unknown.has(subject)) return
  unknown.add(subject)
  const text = 'no handler for this subject: its messages wait for a newer version'
  options.log.warn({ consumer: options.name, subject }, text)
}

/** Negative acknowledgement: the message is redelivered after a pause, to any process. */
function putBack({ retryPausesMs }: Required<ConsumerOptions>, message: JsMsg): void {
  message.nak(retryPausesMs[message.info.deliveryCount - 1] ?? retryPausesMs.at(-1))
}

/**
 * Transient errors are logged at debug for the first three attempts. An outage is logged once for
 * each subject.
 */
function logFailure(
  { options, waiting }: Consuming,
  { subject, info }: JsMsg,
  { error, delivery }: { error: unknown; delivery: Delivery },
): void {
  const attempt = info.deliveryCount
  const isLogged = isOutage(error) && waiting.has(subject)
  const isTransientError = error instanceof ConnectError && isTransient(error)
  const level = isLogged || (isTransientError && attempt <= quietAttempts) ? 'debug' : 'warn'
  options.log[level]({ err: error, attempt, subject, ...delivery }, 'message handler failed')
  if (level === 'warn' && isOutage(error)) waiting.add(subject)
}

function logRecovery({ options, waiting }: Consuming, { subject }: JsMsg): void {
  if (!waiting.delete(subject)) return
  options.log.info(
    { consumer: options.name, subject },
    'messages are handled again after an outage',
  )
}

/**
 * Publishes a message as a dead letter. It needs an ID of its own, since JetStream drops
 * duplicates.
 */
async function publishDeadLetter(
  { broker, name, retryPausesMs }: Required<ConsumerOptions>,
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
