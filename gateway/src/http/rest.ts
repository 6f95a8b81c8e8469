import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { toRest } from '@coffer/kit/rpc/message'

/** Returns a part of a reply that its service always sets. Throws if it is missing. */
export function requirePart<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('a service left out a required part of its reply')
  return part
}

/** Renders the message of a reply as REST JSON. Throws if it is missing. */
export function render<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc> | undefined,
) {
  return toRest(schema, requirePart(message))
}

/** Renders messages as REST JSON, in the same order. */
export function renderAll<Desc extends DescMessage>(schema: Desc, messages: MessageShape<Desc>[]) {
  return messages.map((message) => toRest(schema, message))
}
