import type { JsonObject } from '@bufbuild/protobuf'
import { headers } from '@nats-io/transport-node'
import { currentTraceparent, traceHeader } from '../telemetry/trace.ts'
import type { Broker } from './broker.ts'

/** The account, and the object (such as an upload) whose progress is reported. */
export interface ProgressOf {
  accountId: string
  id: string
}

/** Returns the NATS subject of an object's progress, without the deployment's prefix. */
export function progressSubject({ accountId, id }: ProgressOf): string {
  return `progress.${accountId}.${id}`
}

/**
 * Publishes progress to subscribed gateways, at most once: NATS stores no copy, and before the
 * first connection to NATS the message is dropped.
 */
export function publishProgress(broker: Broker, of: ProgressOf, news: JsonObject): void {
  if (!broker.hasConnected()) return
  const traceparent = currentTraceparent()
  const traced = traceparent === null ? null : headers()
  traced?.set(traceHeader, traceparent ?? '')
  const subject = broker.subject(progressSubject(of))
  broker.connection.publish(subject, JSON.stringify(news), traced ? { headers: traced } : {})
}
