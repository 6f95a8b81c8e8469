import type { DescMessage } from '@bufbuild/protobuf'

/** Start of the descriptions of operations with a partial body (docs/api.md#patch). */
export const patchText = 'Keys that are not sent stay as they are, and an empty object is accepted.'

/** The keys of a body with a value: neither null nor undefined. */
export type Values<Body> = { [Key in keyof Body]?: NonNullable<Body[Key]> }

/** Returns a body as message fields: null and missing keys are both unset. */
export function valuesOf<Body extends object>(body: Body): Values<Body> {
  const sent = Object.entries(body).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(sent) as Values<Body>
}

/**
 * Returns a partial body as an update request: its values, and a FieldMask of all keys that were
 * sent. A key in the mask without a value clears the field (docs/api.md#patch).
 */
export function updateOf<Body extends object>(
  schema: DescMessage,
  body: Body,
): Values<Body> & { updateMask: { paths: string[] } } {
  const sent = Object.entries(body).flatMap(([key, value]) => (value === undefined ? [] : key))
  const named = schema.fields.filter(({ localName }) => sent.includes(localName))
  return { ...valuesOf(body), updateMask: { paths: named.map(({ name }) => name) } }
}
