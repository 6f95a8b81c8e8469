import type { JsonObject } from '@bufbuild/protobuf'
import type { Broker } from './broker.ts'

/** The subject of progress messages: the account, and the object that the work concerns. */
export interface ProgressOf {
  accountId: string
  id: string
}

/** Returns the core NATS subject of an object's progress, without the deployment's prefix. */
export function progressSubject({ accountId, id }: ProgressOf): string {
  return `progress.${accountId}.${id}`
}

/**
 * Publishes progress to subscribed gateways. Delivery is at most once: nothing stores the message,
 * and without NATS it is dropped.
 */
export function publishProgress(broker: Broker, of: ProgressOf, news: JsonObject): void {
  if (!broker.hasConnected()) return
  broker.connection.publish(broker.subject(progressSubject(of)), JSON.stringify(news))
}
