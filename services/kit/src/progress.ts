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

/** Tells whoever listens right now; nobody may, and nothing is kept (design 2). */
export function publishProgress({ connection, subject }: Broker, of: ProgressOf, news: JsonObject) {
  connection.publish(subject(progressSubject(of)), JSON.stringify(news))
}
