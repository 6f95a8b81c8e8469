import type { DescMessage } from '@bufbuild/protobuf'

/** The keys of a body that carry a value: neither null nor absent. */
export type Values<Body> = { [Key in keyof Body]?: NonNullable<Body[Key]> }

/** A body as a message takes it: null and absent are both unset. */
export function valuesOf<Body extends object>(body: Body): Values<Body> {
  const sent = Object.entries(body).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(sent) as Values<Body>
}

/**
 * A partial body as an update request takes it: values, and a mask that names every key that was
 * sent, so that null clears (style 2.3).
 */
export function updateOf<Body extends object>(
  schema: DescMessage,
  body: Body,
): Values<Body> & { updateMask: { paths: string[] } } {
  const sent = Object.entries(body).flatMap(([key, value]) => (value === undefined ? [] : key))
  const named = schema.fields.filter(({ localName }) => sent.includes(localName))
  return { ...valuesOf(body), updateMask: { paths: named.map(({ name }) => name) } }
}
