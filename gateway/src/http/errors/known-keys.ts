import leven from 'leven'
import { z } from 'zod'

/** Maximum length of a key for which a similar one is searched (docs/limits.md). */
const keyLengthMax = 64

/**
 * Returns the keys that a body's schema allows at a path, in all shapes that the object may have.
 * The path has an index for an item of a list.
 */
export function knownKeys(schema: z.core.$ZodType | undefined, path: readonly string[]): string[] {
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((shape) => knownKeys(shape, path))
  }
  if (schema instanceof z.ZodOptional) return knownKeys(schema.unwrap(), path)
  if (schema instanceof z.ZodPipe) return knownKeys(schema.in, path)
  if (schema instanceof z.ZodArray) {
    return path.length === 0 ? [] : knownKeys(schema.element, path.slice(1))
  }
  if (!(schema instanceof z.ZodObject)) return []
  const [key, ...below] = path
  const { shape } = schema
  if (key === undefined) return Object.keys(shape)
  return Object.hasOwn(shape, key) ? knownKeys(shape[key], below) : []
}

/**
 * Returns the known key that was most likely intended, or null: one with the same letters in
 * another spelling (snake_case), else the nearest by Levenshtein distance, at most 2 and a third of
 * the length.
 */
export function similarKey(key: string, known: readonly string[]): string | null {
  if (key.length > keyLengthMax) return null
  const letters = lettersOf(key)
  const distances = known.map((one) => ({ one, distance: leven(letters, lettersOf(one)) }))
  const [nearest] = distances.sort((a, b) => a.distance - b.distance)
  if (nearest === undefined) return null
  return nearest.distance <= Math.min(2, Math.floor(nearest.one.length / 3)) ? nearest.one : null
}

function lettersOf(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
