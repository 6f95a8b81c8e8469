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
import { coded, internal, null_when_empty, omit } from '@coffer/proto/options/v1/options'
import { codedKey, codedValue } from './coded-text.ts'
import { instantText } from './instant.ts'

/** A field over REST; `render` returns undefined for a value that the answer omits. */
interface RestField {
  name: string
  render: (value: unknown) => JsonValue | undefined
}

/** Template of a message in REST, filled with the values of unset fields, and its fields. */
interface Blank {
  unset: Partial<JsonObject>
  fields: readonly RestField[]
  /** Text fields with a code, and the key that holds the code. */
  coded: readonly { name: string; codedAs: string }[]
}

const blanks = new WeakMap<DescMessage, Blank>()

/**
 * Returns a message as JSON for REST: int64 as number, timestamps as RFC 3339 in UTC. Field options
 * say whether an unset field is null or omitted (coffer/options/v1); an omitted one is undefined,
 * which JSON.stringify leaves out. The code of a `coded` text has a key of its own. Copying a
 * template is faster than adding keys (docs/benchmarks/lists.md).
 */
export function toRest<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): Partial<JsonObject> {
  const blank = blankOf(schema)
  const values = message as unknown as Record<string, unknown>
  const out = { ...blank.unset }
  for (const { name, render } of blank.fields) {
    const value = values[name]
    if (value !== undefined) out[name] = render(value)
  }
  for (const { name, codedAs } of blank.coded) {
    const value = values[name]
    if (value !== undefined) out[codedAs] = codedValue(value) as JsonObject | undefined
  }
  return out
}

function blankOf(schema: DescMessage): Blank {
  let blank = blanks.get(schema)
  if (!blank) {
    const shown = schema.fields.filter((field) => !getOption(field, internal))
    const unset = shown.map((field) => [field.localName, getOption(field, omit) ? undefined : null])
    blank = {
      unset: Object.fromEntries(unset),
      fields: shown.map(restFieldOf),
      coded: shown
        .filter((field) => getOption(field, coded))
        .map(({ localName: name }) => ({ name, codedAs: codedKey(name) })),
    }
    blanks.set(schema, blank)
  }
  return blank
}

function restFieldOf(field: DescField): RestField {
  const name = field.localName
  const render = elementRenderer(field.message)
  const isOmitted = getOption(field, omit)
  if (field.fieldKind === 'list') {
    const empty = hasOption(field, null_when_empty) ? null : isOmitted ? undefined : []
    const ofList = (list: unknown[]) => (list.length > 0 ? list.map(render) : empty)
    return { name, render: (value) => ofList(value as unknown[]) }
  }
  const omitsBlank = isOmitted && field.presence === FeatureSet_FieldPresence.IMPLICIT
  return {
    name,
    render: omitsBlank ? (value) => (value === '' ? undefined : render(value)) : render,
  }
}

function elementRenderer(message: DescMessage | undefined): (value: unknown) => JsonValue {
  if (!message) return scalar
  if (message.typeName === TimestampSchema.typeName) {
    return (value) => instantText(value as Timestamp)
  }
  return (value) => toRest(message, value as MessageShape<DescMessage>) as JsonObject
}

function scalar(value: unknown): JsonValue {
  return typeof value === 'bigint' ? Number(value) : (value as JsonValue)
}
