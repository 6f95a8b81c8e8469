import type { JsonObject } from '@bufbuild/protobuf'
import type { Broker } from './nats.ts'

/** What a progress message is about: the account, and the object that the work is on. */
export interface ProgressOf {
  accountId: string
  id: string
}

/** The core NATS subject of an object's progress, without the deployment's prefix. */
export function progressSubject({ accountId, id }: ProgressOf): string {
  return `progress.${accountId}.${id}`
}

/** Tells the gateways that listen right now; nothing is kept, and nothing is told without NATS. */
export function publishProgress(broker: Broker, of: ProgressOf, news: JsonObject): void {
  if (!broker.isConnected()) return
  broker.connection.publish(broker.subject(progressSubject(of)), JSON.stringify(news))
}
