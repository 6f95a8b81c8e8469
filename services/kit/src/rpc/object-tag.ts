import { createHash } from 'node:crypto'
import {
  clearField,
  type DescField,
  type DescMessage,
  getOption,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { untagged } from '@coffer/proto/options/v1/options'
import type { HandlerContext } from '@connectrpc/connect'
import { say } from '../reasons/reasons.ts'
import { refused } from './errors.ts'
import { headers } from './rpc.ts'

/**
 * Returns the tag of an object's own fields: a digest of its message without the fields with the
 * option `untagged`. Equal objects have equal tags in every process. A field added by a later
 * release does not change the tag while it is unset.
 */
export function objectTag<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): string {
  const own = { ...message }
  for (const field of untaggedOf(schema)) clearField(own, field)
  return createHash('sha256').update(toBinary(schema, own)).digest('base64url').slice(0, 22)
}

/**
 * Cache of the fields with the option `untagged`: reading an option takes longer than the digest.
 */
const untaggedFields = new WeakMap<DescMessage, DescField[]>()

function untaggedOf(schema: DescMessage): DescField[] {
  const known = untaggedFields.get(schema)
  if (known) return known
  const found = schema.fields.filter((field) => getOption(field, untagged))
  untaggedFields.set(schema, found)
  return found
}

/**
 * Optimistic concurrency: throws refused (412) if the client requires another state of the object
 * (docs/api/conditional-requests.md). Call it with the row on which the change is decided, because
 * the compare-and-set of the save then excludes a concurrent change.
 */
export function requireMatch<Desc extends DescMessage>(
  context: HandlerContext,
  schema: Desc,
  message: MessageShape<Desc>,
): void {
  const tags = context.requestHeader.get(headers.ifMatch)
  if (tags === null || tags.split(',').includes(objectTag(schema, message))) return
  const text = say('OBJECT_CHANGED')
  throw refused(text, { status: 412, code: 'OBJECT_CHANGED' })
}
