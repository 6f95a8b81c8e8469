import { z } from 'zod'

type Shape = z.core.$ZodType
type Keys = Record<string, Shape>

/** The shape of a union that the client most likely intended. */
export interface Intended {
  /** Index of the shape in the union. */
  index: number
  /** The reason for the guess: `spendingType "goal"`, or the keys that only this shape has. */
  sign: string
}

/**
 * Guesses the intended shape of a body. With a discriminator (a key with one allowed value) it is
 * the shape with that value; otherwise the shape with the most keys of the body, not counting keys
 * that all shapes have. Null if none or several match.
 */
export function intendedShape(options: readonly Shape[], body: object): Intended | null {
  const shapes = options.map(keysOf)
  const sent = Object.entries(body)
  const named = shapes.map((keys) => sent.filter(([key, value]) => isValueOf(keys[key], value)))
  const discriminates = ([key]: [string, unknown]) => shapes.some((keys) => isLiteral(keys[key]))
  if (sent.some(discriminates)) {
    return onlyBest(named, ([key, value]) => `${key} ${JSON.stringify(value)}`)
  }
  const known = shapes.map((keys) => sent.filter(([key]) => key in keys))
  const own = known.map((entries) =>
    entries.filter(([key]) => !shapes.every((keys) => key in keys)),
  )
  return onlyBest(own, ([key]) => key)
}

/**
 * Returns the discriminators of a union whose value in the body no shape allows, with the allowed
 * values; empty for other schemas.
 */
export function wrongDiscriminators(
  schema: Shape | undefined,
  body: unknown,
): { key: string; values: unknown[] }[] {
  if (!(schema instanceof z.ZodUnion) || typeof body !== 'object' || body === null) return []
  const shapes = schema.options.map(keysOf)
  const sent = new Map(Object.entries(body))
  return Object.keys(shapes[0] ?? {}).flatMap((key) => {
    const literals = shapes.map((keys) => keys[key]).filter(isLiteral)
    const values = literals.flatMap((literal) => [...literal.values])
    const isKnown = literals.length < shapes.length || values.some((one) => one === sent.get(key))
    return isKnown ? [] : [{ key, values }]
  })
}

function onlyBest(
  entries: [string, unknown][][],
  signOf: (entry: [string, unknown]) => string,
): Intended | null {
  const most = Math.max(...entries.map(({ length }) => length))
  const best = entries.flatMap((found, index) => (found.length === most ? [index] : []))
  const [index] = best
  if (most === 0 || best.length > 1 || index === undefined) return null
  return { index, sign: entries[index]?.map(signOf).join(', ') ?? '' }
}

function keysOf(shape: Shape): Keys {
  return shape instanceof z.ZodObject ? shape.shape : {}
}

function isLiteral(schema: Shape | undefined): schema is z.ZodLiteral {
  return schema instanceof z.ZodLiteral
}

function isValueOf(schema: Shape | undefined, value: unknown): boolean {
  return isLiteral(schema) && schema.values.has(value as never)
}
