import {
  type DescField,
  type DescMessage,
  isFieldSet,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf'
import {
  type FieldMask,
  type Timestamp,
  TimestampSchema,
  timestampDate,
} from '@bufbuild/protobuf/wkt'
import { createMakers } from '@coffer/proto/to-message'
import { invalid } from './errors.ts'

/** Plain values for the fields of a protobuf message: Date, bigint, null for an unset field. */
export type EntityOf<Desc extends DescMessage> = FieldsOf<MessageShape<Desc>>

type FieldsOf<Shape extends Message> = {
  [Field in keyof Omit<Shape, keyof Message>]: Plain<Shape[Field]>
}

type Plain<T> = T extends Timestamp
  ? Date
  : T extends readonly (infer One extends Message)[]
    ? T | readonly FieldsOf<One>[] | null
    : T extends Message | readonly unknown[] | Uint8Array
      ? T | null
      : undefined extends T
        ? Plain<Exclude<T, undefined>> | null
        : T

const makers = createMakers({
  timestamp: (value) => (value instanceof Date ? timestampOf(value) : (value ?? undefined)),
  messages: (list, make) =>
    list?.[0] === undefined || '$typeName' in list[0] ? (list ?? []) : list.map((one) => make(one)),
})

/**
 * Converts plain values to a protobuf message: Date to Timestamp, null to unset, each entity of a
 * list to a message. Ignores values without a field. The code is generated
 * (proto/README.md#conversions): it takes a tenth of the time of a loop over the fields.
 */
export function toMessage<Desc extends DescMessage>(
  schema: Desc,
  entity: Partial<EntityOf<Desc>> & object,
): MessageShape<Desc> {
  const make = makers[schema.typeName]
  if (!make) throw new Error(`${schema.typeName} has fields that no entity has`)
  return make(entity) as MessageShape<Desc>
}

function timestampOf(date: Date): Timestamp {
  const ms = date.getTime()
  const seconds = Math.floor(ms / 1000)
  return {
    $typeName: 'google.protobuf.Timestamp',
    seconds: BigInt(seconds),
    nanos: (ms - seconds * 1000) * 1e6,
  }
}

/**
 * Returns the fields that an update request changes: those in its field mask. A field that is in
 * the mask but unset becomes null.
 * @throws invalid (400) when the mask names an unknown field
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
