/** First character of the strings by which JSON represents bigints, dates and maps. */
const mark = '\u0001'

/**
 * Serializes items as JSON; bigints, dates and maps become marked strings. The serializer of V8
 * supports these types, but keeps all objects of a page alive for two garbage collections: the
 * young generation grows, and rows are promoted to the old generation.
 */
export function textOf(items: readonly unknown[]): string {
  return JSON.stringify(plainOf(items))
}

/** Parses the items of `textOf`. */
export function itemsIn(text: string): unknown[] {
  return itemOf(JSON.parse(text)) as unknown[]
}

function plainOf(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? `${mark}s${value}` : value
  if (typeof value === 'bigint') return `${mark}n${value}`
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return `${mark}d${value.getTime()}`
  if (value instanceof Map) return [`${mark}m`, ...[...value].map(plainOf)]
  return replaced(value, plainOf)
}

/** Maps the values of an object to a copy, or returns the object itself if no value changes. */
function replaced(of: object, replace: (value: unknown) => unknown): object {
  const before = of as Record<string, unknown>
  let after = before
  for (const key of Object.keys(before)) {
    const value = replace(before[key])
    if (value === before[key]) continue
    if (after === before) after = (Array.isArray(of) ? [...of] : { ...of }) as typeof before
    after[key] = value
  }
  return after
}

/** Decodes marked strings in a parsed value, in place. */
function itemOf(plain: unknown): unknown {
  if (typeof plain === 'string') return plain.startsWith(mark) ? markedOf(plain) : plain
  if (typeof plain !== 'object' || plain === null) return plain
  const values = plain as Record<string, unknown>
  for (const key of Object.keys(values)) {
    const value = itemOf(values[key])
    if (value !== values[key]) values[key] = value
  }
  if (!Array.isArray(plain) || !(plain[0] instanceof Marked)) return plain
  return new Map(plain.slice(1) as [unknown, unknown][])
}

/** Type of the first element in an array that encodes a map. */
class Marked {}
const mapMark = new Marked()

function markedOf(text: string): unknown {
  const content = text.slice(2)
  if (text[1] === 'n') return BigInt(content)
  if (text[1] === 'd') return new Date(Number(content))
  return text[1] === 's' ? content : mapMark
}
