import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { membersWriter } from './rest.ts'

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

type Write = (value: unknown) => string | undefined

const writers = new WeakMap<Answer, Write>()

/**
 * Returns a handler's value as JSON text; keys without a shape are kept. Throws if the value is
 * undefined, or if the shape requires a protobuf message and the value has none.
 */
export function writeAnswer(answer: Answer, value: unknown): string {
  let write = writers.get(answer)
  if (!write) {
    write = writerOf(answer)
    writers.set(answer, write)
  }
  return requirePart(write(value))
}

/** Returns a handler's value as the JSON value of its answer, for code that reads its keys. */
export function renderAnswer(answer: Answer, value: unknown): unknown {
  return JSON.parse(writeAnswer(answer, value))
}

function writerOf(answer: Answer): Write {
  if ('kind' in answer) {
    const members = membersWriter(answer)
    return (value) => `{${members(requirePart(value as MessageShape<DescMessage>))}}`
  }
  if ('json' in answer) return JSON.stringify
  if ('optional' in answer) return unlessEmpty(writerOf(answer.optional))
  if ('nullable' in answer) return unlessEmpty(writerOf(answer.nullable))
  if ('list' in answer) {
    const write = writerOf(answer.list)
    return unlessEmpty((list) => {
      let text = ''
      for (const one of list as unknown[])
        text += `${text === '' ? '' : ','}${write(one) ?? 'null'}`
      return `[${text}]`
    })
  }
  if ('object' in answer) {
    const write = keysWriter(answer.object)
    return unlessEmpty((value) => `{${write(value as object)}}`)
  }
  const members = membersWriter(answer.message)
  const write = keysWriter(answer.with, 'message')
  return (value) => {
    const whole = requirePart(value as { message?: MessageShape<DescMessage> } | undefined)
    const own = members(requirePart(whole.message))
    return `{${own}${write(whole, own === '' ? '' : ',')}}`
  }
}

/** Writes undefined as undefined, which omits the key, and null as null. */
function unlessEmpty(write: Write): Write {
  return (value) => (value === undefined || value === null ? JSON.stringify(value) : write(value))
}

/** Returns the function that writes the keys of a value but one; `comma` precedes the first. */
function keysWriter(
  shapes: Record<string, Answer>,
  omitted?: string,
): (value: object, comma?: ',' | '') => string {
  const known = new Map(Object.entries(shapes).map(([key, shape]) => [key, writerOf(shape)]))
  return (value, comma = '') => {
    let text = ''
    for (const key of Object.keys(value)) {
      if (key === omitted) continue
      const written = (known.get(key) ?? JSON.stringify)((value as Record<string, unknown>)[key])
      if (written === undefined) continue
      text += `${text === '' ? comma : ','}${JSON.stringify(key)}:${written}`
    }
    return text
  }
}

/** Returns a part of a reply that its service always sets. Throws if it is missing. */
export function requirePart<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('a service left out a required part of its reply')
  return part
}
