import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  isFieldSet,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf'
import {
  type FieldMask,
  StructSchema,
  type Timestamp,
  TimestampSchema,
  timestampDate,
  timestampFromDate,
} from '@bufbuild/protobuf/wkt'
import { internal, null_when_empty, omit } from '@coffer/proto/options/v1/options'
import { invalid } from './errors.ts'

/** The plain values an entity must offer to become the message: Date, bigint, null for unset. */
export type EntityOf<Desc extends DescMessage> = {
  [Field in keyof Omit<MessageShape<Desc>, keyof Message>]: Plain<MessageShape<Desc>[Field]>
}

type Plain<T> = T extends Timestamp
  ? Date
  : T extends Message | readonly unknown[] | Uint8Array
    ? T | null
    : undefined extends T
      ? Plain<Exclude<T, undefined>> | null
      : T

/**
 * The message of an entity: Date becomes Timestamp, null becomes unset, the rest passes. Keys of
 * the entity that the message does not have are left behind.
 */
export function toMessage<Desc extends DescMessage>(
  schema: Desc,
  entity: Partial<EntityOf<Desc>> & object,
): MessageShape<Desc> {
  const init: Record<string, unknown> = {}
  for (const field of schema.fields) {
    const value = (entity as Record<string, unknown>)[field.localName]
    if (value === null || value === undefined) continue
    init[field.localName] = value instanceof Date ? timestampFromDate(value) : value
  }
  return create(schema, init as MessageInitShape<Desc>)
}

/**
 * The changes a request asks for: fields the mask names and the message sets carry the value,
 * fields it names and the message leaves unset carry null, all others are absent. Throws invalid
 * where the mask names a field the message does not have.
 */
export function patchOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc> & { updateMask?: FieldMask | undefined },
): Partial<Record<string, unknown>> {
  const patch: Record<string, unknown> = {}
  for (const path of message.updateMask?.paths ?? []) {
    const field = schema.fields.find(({ name }) => name === path)
    if (!field) throw invalid({ updateMask: `${path} is not a field` })
    const value = (message as unknown as Record<string, unknown>)[field.localName]
    patch[field.localName] = isFieldSet(message, field) ? plain(field, value) : null
  }
  return patch
}

function plain(field: DescField, value: unknown): unknown {
  return field.message?.typeName === TimestampSchema.typeName
    ? timestampDate(value as Timestamp)
    : value
}

type Renderer = (message: Record<string, unknown>, out: JsonObject) => void

const renderers = new WeakMap<DescMessage, Renderer[]>()

/**
 * The REST shape of a message: int64 is a number, a timestamp RFC 3339 in UTC, an unset field null
 * or left out, as its options say (coffer/options/v1). Field renderers are made once per message.
 */
export function toRest<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonObject {
  let fields = renderers.get(schema)
  if (!fields) {
    fields = schema.fields.filter((field) => !getOption(field, internal)).map(rendererOf)
    renderers.set(schema, fields)
  }
  const out: JsonObject = {}
  for (const render of fields) render(message as unknown as Record<string, unknown>, out)
  return out
}

function rendererOf(field: DescField): Renderer {
  const key = field.localName
  const omitted = getOption(field, omit)
  const nullWhenEmpty = hasOption(field, null_when_empty)
  const render = valueRenderer(field)
  return (message, out) => {
    const value = message[key]
    if (value === undefined) {
      if (!omitted) out[key] = null
    } else if (!Array.isArray(value) || value.length > 0 || !(nullWhenEmpty || omitted)) {
      out[key] = render(value)
    } else if (nullWhenEmpty) {
      out[key] = null
    }
  }
}

function valueRenderer(field: DescField): (value: unknown) => JsonValue {
  const render = elementRenderer(field.message)
  return field.fieldKind === 'list' ? (value) => (value as unknown[]).map(render) : render
}

function elementRenderer(message: DescMessage | undefined): (value: unknown) => JsonValue {
  if (!message) return scalar
  if (message.typeName === TimestampSchema.typeName) {
    return (value) => instantText(value as Timestamp)
  }
  if (message.typeName === StructSchema.typeName) return (value) => value as JsonValue
  return (value) => toRest(message, value as MessageShape<DescMessage>)
}

function scalar(value: unknown): JsonValue {
  return typeof value === 'bigint' ? Number(value) : (value as JsonValue)
}

/** RFC 3339 in UTC; fraction digits (milliseconds) only where there are any. */
function instantText({ seconds, nanos }: Timestamp): string {
  const text = new Date(Number(seconds) * 1000 + Math.floor(nanos / 1e6)).toISOString()
  return nanos < 1e6 ? `${text.slice(0, -5)}Z` : text
}
