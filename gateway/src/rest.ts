import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { toRest, toRestText } from '@coffer/kit/message'

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

const bodyKey = Symbol('JSON')

/** An answer that is JSON already. */
export interface JsonBody {
  [bodyKey]: string
}

/** A list of messages, for lists that are long or asked for often. */
export function listed<Desc extends DescMessage>(
  schema: Desc,
  messages: MessageShape<Desc>[],
): JsonBody {
  return { [bodyKey]: `[${messages.map((message) => toRestText(schema, message)).join(',')}]` }
}

/** The body of what a handler answers with. */
export function bodyOf(answer: unknown): string {
  return isBody(answer) ? answer[bodyKey] : JSON.stringify(answer)
}

function isBody(answer: unknown): answer is JsonBody {
  return typeof answer === 'object' && answer !== null && bodyKey in answer
}
