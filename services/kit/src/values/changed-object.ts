import type { values } from '@coffer/proto/values'

/** Kind of an object and what happened to it, such as `transaction.updated`. */
export type ObjectType = (typeof values)['ObjectChange.type'][number]

/** An object that clients can read, and that a save creates, changes or deletes. */
export interface ChangedObject {
  type: ObjectType
  objectId: string
  bankAccountId?: string
  /**
   * Version of the object; without one, the event states the instant of the save in microseconds.
   */
  version?: bigint
}

/** The actor of changes, and the ID of its work (docs/events.md#objects-that-changed). */
export interface Cause {
  actor: (typeof values)['Cause.actor'][number]
  /** ID of the request, or of the object whose work it is; empty if there is none. */
  causeId: string
}
