import { say } from '@coffer/kit/reasons/reasons'
import { line, list, rule } from './fields.ts'
import { tagShape } from './shapes.ts'

/** A tag: printable, 1 to 50 characters. A comma separates tags in CSV files. */
export const tag = line({ min: 1, max: 50 }, 'free')
  .refine((value) => !value.includes(','), rule(say('TAG_COMMA')))
  .refine((value) => /[^\p{M}\s]/u.test(value), rule(say('TAG_INVISIBLE')))
  .meta(tagShape)

/** Tags of a transaction, at most 20 (docs/rules/tags.md). */
export const tags = list(tag).max(20, rule(say('TAGS_TOO_MANY', { max: 20 })))

/**
 * Optional tags; null counts as not sent. Problems are those of `tags`, so they never suggest null.
 */
export const optionalTags = tags
  .nullable()
  .transform((value) => value ?? undefined)
  .optional()
