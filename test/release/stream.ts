import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'

/** A deployment's changes: in its tables, in its stream, and those that still wait. */
export interface Changes {
  /** IDs of all changes in the outboxes, sorted. */
  committed: string[]
  /** Number of changes that are not published. */
  unpublished: number
  /** IDs of all changes in the stream, sorted; a change that is there twice is listed twice. */
  published: string[]
  /** Number of messages that wait for a durable consumer, or for its acknowledgement. */
  waiting: number
  /** Subjects of all dead letters. */
  dead: string[]
}

const schemas = ['aggregator_sync', 'budgeting', 'feed_sync', 'identity', 'ledger', 'notices']

/** Reads the outboxes of all services, and the whole stream as an external consumer does. */
export async function readChanges(place: {
  databaseUrl: string
  natsUrl: string
  prefix: string
}): Promise<Changes> {
  const outboxes = await readOutboxes(place.databaseUrl)
  const streamName = place.prefix.toUpperCase()
  const connection = await connect({ servers: new URL(place.natsUrl).host, noAsyncTraces: true })
  try {
    const { consumers, streams } = await jetstreamManager(connection)
    let waiting = 0
    for await (const { config, num_pending, num_ack_pending } of consumers.list(streamName)) {
      if (config.durable_name !== undefined) waiting += num_pending + num_ack_pending
    }
    const { state } = await streams.info(streamName)
    const published: string[] = []
    const dead: string[] = []
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
      const message = await streams.getMessage(streamName, { seq })
      if (!message) continue
      if (message.subject.includes('.dead.')) dead.push(message.subject)
      else published.push(message.header.get('Nats-Msg-Id'))
    }
    return { ...outboxes, published: published.sort(), waiting, dead }
  } finally {
    await connection.close()
  }
}

async function readOutboxes(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const selects = schemas.map((one) => `SELECT change_id, published_at FROM ${one}.changes`)
    const { rows } = await client.query(selects.join(' UNION ALL '))
    return {
      committed: rows.map(({ change_id }): string => change_id).sort(),
      unpublished: rows.filter(({ published_at }) => published_at === null).length,
    }
  } finally {
    await client.end()
  }
}
