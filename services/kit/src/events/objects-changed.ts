import type { Message, MessageInitShape } from '@bufbuild/protobuf'
import type { GenMessage } from '@bufbuild/protobuf/codegenv2'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Cause as CauseMessage, ObjectChange } from '@coffer/proto/changes/v1/changes'
import { groupsOf } from '../database/batch.ts'
import { nextVersion } from '../database/version.ts'
import { currentCause } from '../rpc/cause.ts'
import type { Cause, ChangedObject } from '../values/changed-object.ts'
import { type Change, changeOf, entitiesMax } from './changes.ts'

/** The event `ObjectsChanged` of a service; all services declare the same fields. */
type ObjectsChanged = Message & {
  accountId: string
  objects: ObjectChange[]
  cause?: CauseMessage | undefined
}

/** Account and instant of a save, and its cause if it is not the current one. */
interface Save {
  accountId: string
  now: Date
  cause?: Cause
}

/**
 * Returns the events about the objects that a save has changed, at most 200 objects in each
 * (docs/events.md#objects-that-changed). `schema` is the service's own `ObjectsChanged`.
 */
export function objectsChanged<Event extends ObjectsChanged>(
  schema: GenMessage<Event>,
  save: Save,
  objects: readonly ChangedObject[],
): Change[] {
  return groupsOf(objects, entitiesMax).map((group) => {
    const message = messageOf(save, group)
    const { objectId: entityId = '', version = 0n } = message.objects[0] ?? {}
    const subject = { accountId: save.accountId, entityId, version }
    return changeOf(schema, subject, message as MessageInitShape<GenMessage<Event>>)
  })
}

/** Returns the message about at most 200 changed objects, to embed in another event. */
export function messageOf(
  { accountId, now, cause = currentCause() }: Save,
  objects: readonly ChangedObject[],
) {
  const instant = nextVersion(0n, now)
  return {
    accountId,
    objects: objects.map((one) => ({ ...one, version: one.version ?? instant })),
    cause: { ...cause, at: timestampFromDate(now) },
  }
}
