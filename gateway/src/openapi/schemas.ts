import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import { descriptions } from '@coffer/proto/descriptions'
import { coded, internal, null_when_empty, omit, values } from '@coffer/proto/options/v1/options'
import { z } from 'zod'
import type { Answer, JsonSchema } from '../http/answers/answer.ts'
import { codedKey } from '../http/answers/coded-text.ts'
import { idPattern } from '../http/fields/fields.ts'
import { idPrefixes } from '../http/fields/id-prefixes.ts'
import { partTexts } from './part-texts.ts'

/** Schemas of the document's components, by name. */
export type Schemas = Record<string, JsonSchema>

type Properties = Record<string, JsonSchema & { description?: string }>

/** Returns the JSON Schema of a request's value, from the schema that validates it. */
export function inputSchema(schema: z.ZodType): JsonSchema & { properties?: Properties } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // Removes keywords that are undefined.
  return JSON.parse(JSON.stringify(rest))
}

/** Returns the schema of an answer, and adds the schemas of its messages to the components. */
export function answerSchema(answer: Answer, schemas: Schemas): JsonSchema {
  if ('kind' in answer) return messageSchema(answer, schemas)
  if ('json' in answer) return answer.json
  if ('list' in answer) return { type: 'array', items: answerSchema(answer.list, schemas) }
  if ('object' in answer) return objectSchema(answer.object, schemas)
  if ('optional' in answer) return answerSchema(answer.optional, schemas)
  if ('nullable' in answer) {
    return { anyOf: [answerSchema(answer.nullable, schemas), { type: 'null' }] }
  }
  const { message } = answer
  return { allOf: [messageSchema(message, schemas), objectSchema(answer.with, schemas)] }
}

function objectSchema(keys: Record<string, Answer>, schemas: Schemas) {
  const properties = Object.entries(keys).map(([key, of]) => [
    key,
    { ...describedBy(partTexts[key]), ...answerSchema(of, schemas) },
  ])
  const required = Object.keys(keys).filter((key) => !('optional' in Object(keys[key])))
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
  }
}

/** Returns a `$ref` to a message's schema, and adds the schema to the components. */
function messageSchema(desc: DescMessage, schemas: Schemas): JsonSchema {
  if (!schemas[desc.name]) {
    const shown = desc.fields.filter((field) => !getOption(field, internal))
    schemas[desc.name] = {}
    const required = shown.filter((field) => !getOption(field, omit))
    schemas[desc.name] = {
      type: 'object',
      ...describedBy(descriptions[desc.typeName]),
      properties: Object.fromEntries(
        shown.flatMap((field) => [
          [field.localName, fieldSchema(field, schemas)],
          ...(getOption(field, coded) ? [codedSchema(field)] : []),
        ]),
      ),
      required: required.map(({ localName }) => localName),
    }
  }
  return { $ref: `#/components/schemas/${desc.name}` }
}

/** Returns key and schema for the code of a text field. */
function codedSchema({ localName, fieldKind }: DescField): [string, JsonSchema] {
  const description = `Code and values of \`${localName}\`; left out without a code`
  const reason = { $ref: '#/components/schemas/Reason' }
  const schema = fieldKind === 'list' ? { type: 'array', items: reason } : reason
  return [codedKey(localName), { description, ...schema }]
}

function fieldSchema(field: DescField, schemas: Schemas): JsonSchema {
  const value = valueSchema(field, schemas)
  const schema = field.fieldKind === 'list' ? { type: 'array', items: value } : value
  const unset = unsetText(field)
  const text = descriptions[`${field.parent.typeName}.${field.localName}`]
  const described = describedBy([text, unset].filter((part) => part).join(' '))
  return unset.startsWith('Null')
    ? { ...described, anyOf: [schema, { type: 'null' }] }
    : { ...schema, ...described }
}

/**
 * Returns a text that says how an answer shows an unset field; empty if the field always has a
 * value.
 */
function unsetText(field: DescField): string {
  const isList = field.fieldKind === 'list'
  if (getOption(field, omit)) return isList ? 'Left out when empty.' : 'Left out when unset.'
  if (getOption(field, null_when_empty)) return 'Null when empty.'
  return field.proto.proto3Optional ? 'Null when unset.' : ''
}

/** Returns the keyword with a description; empty without one. */
export function describedBy(description: string | undefined): JsonSchema {
  return description ? { description } : {}
}

function valueSchema(field: DescField, schemas: Schemas): JsonSchema {
  const { message, scalar } = field
  if (message?.typeName === TimestampSchema.typeName) return { type: 'string', format: 'date-time' }
  if (message) return messageSchema(message, schemas)
  if (scalar === ScalarType.STRING) return textSchema(field)
  if (scalar === ScalarType.DOUBLE) return { type: 'number' }
  if (scalar === ScalarType.BOOL) return { type: 'boolean' }
  const [minimum, maximum] = scalar === ScalarType.INT32 ? int32Range : safeRange
  return { type: 'integer', minimum, maximum }
}

const int32Range = [-(2 ** 31), 2 ** 31 - 1]

/** 64-bit integers are JSON numbers, so the server refuses values that would lose precision. */
const safeRange = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]

/**
 * Fields whose names are those of our IDs, but that hold IDs of other systems: Stripe's checkout
 * sessions.
 */
const foreignIds = new Set(['coffer.identity.v1.CreateCheckoutResponse.sessionId'])

function textSchema(field: DescField): JsonSchema {
  const listed = getOption(field, values)
  if (listed.length > 0) return { type: 'string', enum: listed }
  const isForeign = foreignIds.has(`${field.parent.typeName}.${field.localName}`)
  const prefix = isForeign ? undefined : idPrefixes[field.localName]
  return { type: 'string', ...(prefix === undefined ? {} : { pattern: idPattern(prefix) }) }
}
