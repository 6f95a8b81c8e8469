import { randomUUID } from 'node:crypto'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import type { Log } from '@coffer/kit/service/log'
import { repeat } from '@coffer/kit/service/repeat'
import { dayMs } from '@coffer/kit/values/time'
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { millis, nanos } from '@nats-io/transport-node'
import { countSequenceHoles, countStreamLosses } from '../metrics.ts'
import { findMessageId } from './nats.ts'
import { auditConsumerOf } from './permissions.ts'
import {
  findNewestChecked,
  hasUnpublished,
  listAt,
  listUnchecked,
  loadPosition,
  type PublishedChange,
  raiseBase,
  type StreamPosition,
  savePosition,
  unpublish,
  unpublishLost,
} from './stream-position.ts'
import { subjectSpace } from './subjects.ts'

const everyMsDefault = 5_000
// Minimum age in ms of published changes to audit. Relays mark changes in any order, so among
// younger changes one with a lower position may still be missing.
const settledMsDefault = 10_000
// Time in ms that is added to NATS's duplicate window before a change is republished, because NATS
// would drop the change within the window.
const marginMsDefault = 10_000
// Age in ms from which a message may have expired: a day less than the stream's retention.
const keptMs = 6 * dayMs
const pageSize = 5_000
const positionsPerStatement = 1_000
const fetchMs = 2_000
// Time in ms without a request after which NATS deletes the consumer of an audit.
const unusedMsMax = 10_000

export interface StreamAuditOptions {
  service: string
  database: Database
  broker: Broker
  log: Log
  /** Interval in ms between two audits. */
  everyMs?: number
  /** Minimum age in ms of changes to look up. */
  settledMs?: number
  /** Time in ms after the duplicate window of NATS before a deleted message is published again. */
  marginMs?: number
}

/**
 * Number of deleted messages when nothing was left to republish, and the base of the positions
 * then. The list of deleted messages is read again only after one of the two has changed.
 */
interface Handled {
  base: bigint
  deletions: number
}

interface Round {
  options: Required<StreamAuditOptions>
  manager: JetStreamManager
  info: StreamInfo
  position: StreamPosition
}

/**
 * Compares the published changes of a service with the messages of the stream, every 5 s. Marks the
 * changes of lost messages as unpublished, so that the relay publishes them again
 * (docs/events.md#lost-messages). Several processes may audit the same stream.
 */
export function startStreamAudit(given: StreamAuditOptions): AsyncDisposable {
  const defaults = { everyMs: everyMsDefault, settledMs: settledMsDefault }
  const options = { ...defaults, marginMs: marginMsDefault, ...given }
  const handled: Handled = { base: 0n, deletions: 0 }
  // Initializes both counters, so that the first loss shows as an increase.
  countSequenceHoles(0, options.service)
  countStreamLosses(0, options.service)
  const round = async (): Promise<void> => {
    try {
      await audit(options, handled)
    } catch (error) {
      // Logged at debug, because others warn of outages: the relay of one of NATS, the readiness
      // check of one of the database.
      options.log.debug({ err: error }, 'stream not audited')
    }
  }
  return repeat(round, { everyMs: options.everyMs, isDelayed: true })
}

async function audit(options: Required<StreamAuditOptions>, handled: Handled): Promise<void> {
  const { database, broker } = options
  const stream = broker.streamName
  const manager = await broker.stream.jetstreamManager(false)
  const info = await manager.streams.info(stream)
  const position = await loadPosition(database, { stream, createdAt: info.created })
  const round = { options, manager, info, position }
  const loss = await findLoss(round)
  if (loss !== null) return recordLoss(round, loss)
  const acknowledged = await replayLost(round)
  const { num_deleted: deletions = 0 } = info.state
  const isHandled = handled.base === position.base && handled.deletions === deletions
  const deleted = isHandled ? [] : await listDeleted(round)
  if (await fillHoles(round, deleted)) Object.assign(handled, { base: position.base, deletions })
  const checked = await checkNew(round, new Set(deleted))
  await savePosition(database, stream, { ...position, acknowledged, checked })
}

/** Returns which part of the stream is lost, apart from single messages; null if none. */
async function findLoss({ options, manager, info, position }: Round): Promise<string | null> {
  if (info.created !== position.createdAt) return 'the stream was created again'
  const newest = await findNewestChecked(options.database, position)
  if (newest === null) return null
  const seq = Number(newest.position - position.base)
  const { first_seq: first, last_seq: last } = info.state
  if (seq > last) return 'the stream has lost its end'
  // A full stream drops its oldest messages: a loss only if a consumer has not received them.
  const isNeeded = newest.ageMs < keptMs && newest.position > position.acknowledged
  if (seq < first) return isNeeded ? 'the stream has lost its beginning' : null
  const found = await findMessageId(manager, options.broker.streamName, seq)
  return found === null || found === newest.changeId ? null : 'the stream has another end'
}

async function recordLoss({ options, info, position }: Round, loss: string): Promise<void> {
  const { database, broker, service, log } = options
  const at = { stream: broker.streamName, createdAt: info.created, from: position }
  if (!(await raiseBase(database, at))) return
  countStreamLosses(1, service)
  log.error({ loss }, 'NATS has lost messages: what no consumer confirmed is published again')
}

/**
 * Marks a page of the changes of a lost stream as unpublished. Returns the position up to which
 * every consumer has acknowledged the messages; unchanged while the lost stream has more changes.
 */
async function replayLost({ options, manager, info, position }: Round): Promise<bigint> {
  const { database, broker, log } = options
  const { acknowledged, base } = position
  if (acknowledged < base) {
    const count = await unpublishLost(database, position, pageSize)
    if (count > 0) log.warn({ count }, 'changes of the lost messages are published again')
    if (count === pageSize) return acknowledged
  }
  let floor = info.state.last_seq
  for await (const consumer of manager.consumers.list(broker.streamName)) {
    const { config, num_pending: unread, num_ack_pending: unconfirmed, ack_floor } = consumer
    if (config.durable_name === undefined || unread + unconfirmed === 0) continue
    floor = Math.min(floor, ack_floor.stream_seq)
  }
  return base + BigInt(floor)
}

/** Returns the sequence numbers of messages that were deleted, or are damaged, in the stream. */
async function listDeleted({ options, manager }: Round): Promise<number[]> {
  const details = { deleted_details: true }
  const { state } = await manager.streams.info(options.broker.streamName, details)
  return [...(state.deleted ?? []), ...(state.lost?.msgs ?? [])]
}

/**
 * Republishes the changes of deleted messages, if old enough: within the duplicate window, NATS
 * would drop them. Returns whether nothing is left to do: no deleted message has a change, and no
 * change is being published. A change that is being published may come back, because NATS may
 * remember its ID longer than the window: it then drops the change, and answers with the number of
 * the deleted message.
 */
async function fillHoles(round: Round, deleted: readonly number[]): Promise<boolean> {
  const { options, info, position } = round
  const youngestMs = millis(info.config.duplicate_window) + options.marginMs
  // Checked before the changes are listed, so that a change that the relay publishes meanwhile is
  // found by one of the two queries.
  let isDone = deleted.length === 0 || !(await hasUnpublished(options.database))
  for (let start = 0; start < deleted.length; start += positionsPerStatement) {
    const page = deleted.slice(start, start + positionsPerStatement)
    const positions = page.map((seq) => position.base + BigInt(seq))
    const changes = await listAt(options.database, positions)
    const old = changes.filter(({ ageMs }) => ageMs > youngestMs)
    isDone &&= changes.length === 0
    await publishAgain(round, old)
  }
  return isDone
}

/**
 * Compares the changes after the checked position with the message IDs at their positions in the
 * stream. Returns the new checked position. Leaves out deleted messages, which `fillHoles` handles.
 */
async function checkNew(round: Round, deleted: ReadonlySet<number>): Promise<bigint> {
  const { options, manager, info, position } = round
  const listed = await listUnchecked(options.database, position, pageSize)
  const young = listed.findIndex(({ ageMs }) => ageMs < options.settledMs)
  const changes = young === -1 ? listed : listed.slice(0, young)
  const [first, last] = [changes[0], changes.at(-1)]
  if (!(first && last)) return position.checked
  const seqOf = (change: PublishedChange) => Number(change.position - position.base)
  const found = await readIds(round, seqOf(first), seqOf(last))
  const missing: PublishedChange[] = []
  for (const change of changes) {
    const seq = seqOf(change)
    if (deleted.has(seq) || found.get(seq) === change.changeId) continue
    // Looks the message up by its number, because `readIds` may have ended before this message.
    const messageId = await findMessageId(manager, options.broker.streamName, seq)
    if (messageId !== change.changeId) missing.push(change)
  }
  await publishAgain(round, missing)
  // The checked position must not exceed the end of the stream: if NATS has lost its end, new
  // messages get the same numbers again, and are still to be checked.
  const end = position.base + BigInt(info.state.last_seq)
  return last.position < end ? last.position : end
}

/** Returns the message IDs of the service's messages between two sequence numbers. */
async function readIds(
  { options, manager }: Round,
  first: number,
  last: number,
): Promise<Map<number, string>> {
  const { broker, service } = options
  const stream = broker.streamName
  const found = new Map<number, string>()
  const name = auditConsumerOf(service)
  // NATS refuses this while another process of the service audits, because that process's consumer
  // has the same name and another description. The next audit tries again. NATS deletes the
  // consumer of a killed process.
  await manager.consumers.add(stream, {
    name,
    description: randomUUID(),
    filter_subject: broker.subject(`${subjectSpace(service)}.>`),
    headers_only: true,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: first,
    inactive_threshold: nanos(unusedMsMax),
    mem_storage: true,
    num_replicas: 1,
  })
  try {
    const reader = await broker.stream.consumers.get(stream, name)
    const max_messages = Math.min(last - first + 1, 2 * pageSize)
    const messages = await reader.fetch({ max_messages, expires: fetchMs })
    for await (const { seq, headers, info } of messages) {
      found.set(seq, headers?.get('Nats-Msg-Id') ?? '')
      if (seq >= last || info.pending === 0) break
    }
  } finally {
    await manager.consumers.delete(stream, name)
  }
  return found
}

async function publishAgain(
  { options }: Round,
  changes: readonly PublishedChange[],
): Promise<void> {
  const [first] = changes
  if (!first) return
  const { database, service, log } = options
  const count = await unpublish(database, changes)
  if (count === 0) return
  countSequenceHoles(count, service)
  const { accountId } = first
  log.error({ count, accountId }, 'NATS has lost messages of accounts: they are published again')
}
