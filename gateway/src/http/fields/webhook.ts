import { values } from '@coffer/proto/values'
import { filled, list, oneOf, rule } from './fields.ts'
import { webhookUrlShape } from './shapes.ts'

/** URL of a webhook; notices checks whether its host is allowed. */
export const webhookUrl = filled
  .refine((value) => value.length <= 2000 && URL.canParse(value), rule('must be a URL'))
  .refine((value) => /^https?:$/.test(new URL(value).protocol), rule('must be an https URL'))
  .refine(
    (value) => new URL(value).username === '' && new URL(value).password === '',
    rule('must have no credentials'),
  )
  .refine((value) => new URL(value).hash === '', rule('must have no fragment'))
  .meta(webhookUrlShape)

const typesMax = 100

/** Types of changes that a webhook gets. */
export const changeTypes = list(oneOf(values['Change.type'])).max(
  typesMax,
  rule(`must have at most ${typesMax} types`),
)
