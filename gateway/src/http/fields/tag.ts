import { line, list, rule } from './fields.ts'
import { tagShape } from './shapes.ts'

/** A tag: printable, 1 to 50 characters. A comma separates tags in CSV files. */
export const tag = line({ min: 1, max: 50 }, 'free')
  .refine((value) => !value.includes(','), rule('cannot have a comma'))
  .meta(tagShape)

/** Tags of a transaction, at most 20 (docs/rules/tags.md). */
export const tags = list(tag).max(20, rule('must have at most 20 tags'))
