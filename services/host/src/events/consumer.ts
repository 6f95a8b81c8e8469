import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import type { Delivery, Handler } from '@coffer/kit/events/handler'
import { isTransient } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import type { Log } from '@coffer/kit/service/log'
import { traced, traceHeader } from '@coffer/kit/telemetry/trace'
import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { keepRunning } from '../keep-running.ts'
import { countConsumerResets, countDeadLetters } from '../metrics.ts'
import { ensureConsumer } from './durable-consumer.ts'

/** Transient errors of the first three attempts are logged at debug. */
const quietAttempts = 3
/** Maximum number of messages that a process handles concurrently for one consumer. */
const inFlightMax = 64
// Maximum number of prefetched messages per process. Small prefetch: queued messages send no
// progress, so NATS would redeliver them. `fetchedMin` is when more are requested: the client's
// default, three quarters of the maximum, would send a request for every few messages.
const fetchedMax = 64
const fetchedMin = 16
const ackWaitMsDefault = 10_000
const restartMs = 1_000
// Interval in ms at which missing subjects are added to the subject filter again, because a process
// of an older release may remove them.
const renewMs = 30_000
/** Interval in ms of the heartbeat `beat`. */
const pulseMs = 5_000
const pausesMs = [100, 500, 2_000, 5_000, 15_000, 30_000, 60_000]

export interface ConsumerOptions {
  /** Name of the durable NATS consumer: the service, then its purpose. */
  name: string
  handlers: Handler[]
  /** The database of the service, which keeps the positions of the consumer. */
  database: Database
  broker: Broker
  log: Log
  /** Pauses in ms before each redelivery; a message that fails after the last is a dead letter. */
  retryPausesMs?: number[]
  /** Time in ms without acknowledgement or progress after which NATS redelivers a message. */
  ackWaitMs?: number
  /** Heartbeat: called while messages are read, and at each attempt to read them again. */
  beat?: () => void
}

/** State of one process that reads from the durable consumer. */
interface Consuming {
  options: Required<ConsumerOptions>
  underWay: Set<Promise<void>>
  /** Subjects without a handler that were already logged. */
  unknown: Set<string>
  /**
   * Subjects for which an outage of a dependency was logged. Their messages are redelivered until
   * the outage ends, without further warnings.
   */
  waiting: Set<string>
}

/**
 * Handles messages from a durable NATS consumer, concurrently and in any order. Creates the
 * consumer again when it is lost or unreachable; never rejects. A failed message is redelivered
 * after growing pauses, then becomes a dead letter (docs/events.md#dead-letters). During an outage
 * of a dependency, it is redelivered without limit. A message without a handler is left to
 * processes of a newer release.
 */
export async function startConsumer(given: ConsumerOptions): Promise<AsyncDisposable> {
  const options = {
    retryPausesMs: pausesMs,
    ackWaitMs: ackWaitMsDefault,
    beat: () => {},
    ...given,
  }
  const { name: consumer, log } = options
  const underWay = new Set<Promise<void>>()
  const state: Consuming = { options, underWay, unknown: new Set(), waiting: new Set() }
  // Initializes the counter, so that the first loss shows as an increase.
  countConsumerResets(0, consumer)
  const running = await keepRunning({
    create: async () => {
      options.beat()
      const messages = await consume(options)
      return { run: () => deliverAll(state, messages), stop: () => messages.stop() }
    },
    restartMs,
    onFailure: (error) => log.warn({ err: error, consumer }, 'consumer lost, retrying'),
    onRecovery: () => log.info({ consumer }, 'consumer runs again'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]()
      await Promise.all(underWay)
    },
  }
}

async function consume(options: Required<ConsumerOptions>): Promise<ConsumerMessages> {
  await ensureConsumer(options)
  const { broker, name } = options
  const consumer = await broker.stream.consumers.get(broker.streamName, name)
  return consumer.consume({
    max_messages: fetchedMax,
    threshold_messages: fetchedMin,
    abort_on_missing_resource: true,
  })
}

async function deliverAll(state: Consuming, messages: ConsumerMessages): Promise<void> {
  const { options, underWay } = state
  let hasRead = true
  let isStuck = false
  const renew = async () => {
    // Ignores the error: the next interval repeats the call.
    const unread = await ensureConsumer(options).catch(() => 0)
    isStuck = unread > 0 && underWay.size === 0 && !hasRead
    hasRead = false
  }
  const renewal = setInterval(renew, renewMs)
  const pulse = setInterval(() => isStuck || options.beat(), pulseMs)
  try {
    for await (const message of messages) {
      while (underWay.size >= inFlightMax) await Promise.race(underWay)
      hasRead = true
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
    clearInterval(pulse)
  }
}

async function deliver(state: Consuming, message: JsMsg): Promise<void> {
  const { name, handlers, broker, ackWaitMs, retryPausesMs } = state.options
  const handler = handlers.find(({ subject }) => broker.subject(subject) === message.subject)
  if (!handler) return putBackUnknown(state, message)
  const changeId = message.headers?.get('Nats-Msg-Id') ?? ''
  if (changeId === '') return refuse(state, message)
  const delivery = {
    changeId,
    accountId: message.headers?.get('Coffer-Account') ?? '',
    consumer: name,
  }
  // Heartbeat: without it, NATS would redeliver a slow message to another process.
  const atWork = setInterval(() => message.working(), ackWaitMs / 3)
  try {
    const parent = message.headers?.get(traceHeader) || null
    await traced(`handle ${handler.subject}`, { kind: 'consumer', parent }, () =>
      handler.handle(message.data, delivery),
    )
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

/**
 * Refuses a message without an ID, which no relay has published. Clients can cause one: NATS
 * publishes the answer to a request on the reply subject that the client names, whatever the
 * client's own permissions.
 */
function refuse({ options: { name, log } }: Consuming, message: JsMsg): void {
  log.error({ consumer: name, subject: message.subject }, 'message without an ID: refused')
  countDeadLetters(1, name)
  message.term('no ID')
}

/** Returns a message to NATS for a process of a newer release; logs its subject once. */
function putBackUnknown({ options, unknown }: Consuming, message: JsMsg): void {
  putBack(options, message)
  const { subject } = message
  if (unknown.has(subject)) return
  unknown.add(subject)
  const text = 'no handler for this subject: its messages wait for a newer version'
  options.log.warn({ consumer: options.name, subject }, text)
}

/**
 * Negative acknowledgement: NATS redelivers the message after a pause, to any process of the
 * service.
 */
function putBack({ retryPausesMs }: Required<ConsumerOptions>, message: JsMsg): void {
  message.nak(retryPausesMs[message.info.deliveryCount - 1] ?? retryPausesMs.at(-1))
}

/**
 * Logs a failed attempt as a warning. Logs at debug the first three transient errors of a message,
 * and an outage that was already logged for the subject.
 */
function logFailure(
  { options, waiting }: Consuming,
  { subject, info }: JsMsg,
  { error, delivery }: { error: unknown; delivery: Delivery },
): void {
  const attempt = info.deliveryCount
  const isLogged = isOutage(error) && waiting.has(subject)
  const level = isLogged || (isTransient(error) && attempt <= quietAttempts) ? 'debug' : 'warn'
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

/** Publishes a message as a dead letter, under a new ID because JetStream drops duplicates. */
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
  countDeadLetters(1, name)
  message.term('given up')
}
