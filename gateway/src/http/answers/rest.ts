import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { internal, null_when_empty, omit } from '@coffer/proto/options/v1/options'
import { instantText } from './instant.ts'

/** A field over REST; `render` returns undefined for a field that the answer omits. */
interface RestField {
  name: string
  render: (message: Record<string, unknown>) => JsonValue | undefined
}

const restFields = new WeakMap<DescMessage, RestField[]>()

/**
 * Returns the REST form of a message: int64 as number, timestamps as RFC 3339 in UTC. Field options
 * say whether an unset field is null or omitted (coffer/options/v1). Renderers are cached for each
 * type.
 */
export function toRest<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonObject {
  const out: JsonObject = {}
  for (const { name, render } of fieldsOf(schema)) {
    const value = render(message as unknown as Record<string, unknown>)
    if (value !== undefined) out[name] = value
  }
  return out
}

function fieldsOf(schema: DescMessage): RestField[] {
  let fields = restFields.get(schema)
  if (!fields) {
    fields = schema.fields.filter((field) => !getOption(field, internal)).map(restFieldOf)
    restFields.set(schema, fields)
  }
  return fields
}

function restFieldOf(field: DescField): RestField {
  const name = field.localName
  const omitted = getOption(field, omit)
  const nullWhenEmpty = hasOption(field, null_when_empty)
  const renderValue = valueRenderer(field)
  const omitsBlank = omitted && field.presence === FeatureSet_FieldPresence.IMPLICIT
  const unset = omitted ? undefined : null
  const empty = nullWhenEmpty ? null : undefined
  return {
    name,
    render: (message) => {
      const value = message[name]
      if (value === undefined || (omitsBlank && value === '')) return unset
      if (!Array.isArray(value) || value.length > 0) return renderValue(value)
      return nullWhenEmpty || omitted ? empty : []
    },
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
  return (value) => toRest(message, value as MessageShape<DescMessage>)
}

function scalar(value: unknown): JsonValue {
  return typeof value === 'bigint' ? Number(value) : (value as JsonValue)
}
