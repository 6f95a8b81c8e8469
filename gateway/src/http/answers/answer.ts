import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { toRest } from './rest.ts'

export type JsonSchema = Record<string, unknown>

/**
 * Schema of an answer's body, used by the OpenAPI document and for rendering the handler's value.
 */
export type Answer =
  | DescMessage
  | { list: Answer }
  | { message: DescMessage; with: Record<string, Answer> }
  | { object: Record<string, Answer> }
  /** A key that is omitted if its value is undefined. */
  | { optional: Answer }
  /** A value, or null. */
  | { nullable: Answer }
  | { json: JsonSchema }

/** An additional answer of an operation, which its declaration does not imply. */
export interface OtherAnswer {
  description: string
  answer: Answer
}

/** Type of a handler's value for an answer: protobuf messages in place of their JSON. */
export type ValueOf<Shape> = Shape extends { optional: infer One } | { nullable: infer One }
  ? SimpleValueOf<One>
  : SimpleValueOf<Shape>

type SimpleValueOf<Shape> = Shape extends DescMessage
  ? MessageShape<Shape> | undefined
  : Shape extends { list: infer Item }
    ? ValueOf<Item>[] | null
    : Shape extends { message: infer Main; with: infer More }
      ? ({ message: ValueOf<Main> } & KeysOf<More>) | undefined
      : Shape extends { object: infer All }
        ? KeysOf<All>
        : unknown

type KeysOf<Shapes> = { [Key in keyof Shapes]?: ValueOf<Shapes[Key]> } & Record<string, unknown>

/**
 * Renders a handler's value as JSON; keys without a shape are kept. Throws if the shape requires a
 * protobuf message and the value has none.
 */
export function renderAnswer(answer: Answer, value: unknown): unknown {
  if ('kind' in answer) return toRest(answer, requirePart(value as MessageShape<DescMessage>))
  if ('json' in answer || value === null) return value
  if ('list' in answer) return (value as unknown[]).map((one) => renderAnswer(answer.list, one))
  if ('object' in answer) return renderKeys(answer.object, value as object)
  if ('optional' in answer) return renderAnswer(answer.optional, value)
  if ('nullable' in answer) return renderAnswer(answer.nullable, value)
  const { message, ...more } = requirePart(
    value as { message?: MessageShape<DescMessage> } | undefined,
  )
  return { ...toRest(answer.message, requirePart(message)), ...renderKeys(answer.with, more) }
}

function renderKeys(shapes: Record<string, Answer>, value: object): Record<string, unknown> {
  const rendered: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value)) {
    const shape = shapes[key]
    rendered[key] = shape ? renderAnswer(shape, part) : part
  }
  return rendered
}

/** Returns a part of a reply that its service always sets. Throws if it is missing. */
export function requirePart<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('a service left out a required part of its reply')
  return part
}
