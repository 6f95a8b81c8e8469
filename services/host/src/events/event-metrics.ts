import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import { createWatchedGauge } from '@coffer/kit/telemetry/meter'
import { jetstreamManager } from '@nats-io/jetstream'
import { sql } from 'slonik'
import { z } from 'zod'

const watchAge = createWatchedGauge({
  name: 'coffer_outbox_age_seconds',
  help: 'Age of the oldest change in the outbox that is not published, by service; 0 without any.',
  labelNames: ['service'],
})

const watchLag = createWatchedGauge({
  name: 'coffer_consumer_lag',
  help: 'Messages that a durable consumer has not handled yet, over all processes.',
  labelNames: ['consumer'],
})

const Age = z.object({ seconds: z.number() })

/** Exports, until disposed, the age of the oldest unpublished change of a service. */
export function watchOutbox(service: string, { pool }: Database): Disposable {
  return watchAge(async () => {
    const oldest = await pool.maybeOne(sql.type(Age)`
      SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 AS seconds FROM changes
      WHERE published_at IS NULL ORDER BY change_id LIMIT 1`)
    return Math.max(0, oldest?.seconds ?? 0)
  }, service)
}

/** Exports, until disposed, how many messages a durable consumer has not acknowledged yet. */
export function watchConsumer(consumer: string, broker: Broker): Disposable {
  return watchLag(async () => {
    const manager = await jetstreamManager(broker.connection, { checkAPI: false, timeout: 900 })
    const info = await manager.consumers.info(broker.streamName, consumer)
    return info.num_pending + info.num_ack_pending
  }, consumer)
}
