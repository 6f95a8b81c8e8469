import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { toRest } from '@coffer/kit/rpc/message'

/** The part of a reply that its service always sets. */
export function given<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('a reply without the part it is about')
  return part
}

/** The REST shape of the message a reply is about. */
export function rendered<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc> | undefined,
) {
  return toRest(schema, given(message))
}

export function renderedAll<Desc extends DescMessage>(
  schema: Desc,
  messages: MessageShape<Desc>[],
) {
  return messages.map((message) => toRest(schema, message))
}
