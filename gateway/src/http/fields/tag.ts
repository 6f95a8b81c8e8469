import { line, list, rule } from './fields.ts'
import { tagShape } from './shapes.ts'

/** A tag: printable, 1 to 50 characters. A comma separates tags in CSV files. */
export const tag = line({ min: 1, max: 50 }, 'free')
  .refine((value) => !value.includes(','), rule('cannot have a comma'))
  .refine((value) => /[^\p{M}\s]/u.test(value), rule('must have a letter, digit or sign'))
  .meta(tagShape)

/** Tags of a transaction, at most 20 (docs/rules/tags.md). */
export const tags = list(tag).max(20, rule('must have at most 20 tags'))

/** The same, where null counts as not sent. Problems are those of the tags, without one of null. */
export const optionalTags = tags
  .nullable()
  .transform((value) => value ?? undefined)
  .optional()
