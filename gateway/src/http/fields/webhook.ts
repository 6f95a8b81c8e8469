import { say } from '@coffer/kit/reasons/reasons'
import { values } from '@coffer/proto/values'
import { filled, list, oneOf, rule } from './fields.ts'
import { urlLengthMax, webhookUrlShape } from './shapes.ts'

/** URL of a webhook. The service `notices` checks whether its host is allowed. */
export const webhookUrl = filled
  .refine(({ length }) => length <= urlLengthMax, rule(say('URL_TOO_LONG', { max: urlLengthMax })))
  .refine((value) => URL.canParse(value), rule(say('NOT_URL')))
  .refine((value) => /^https?:$/.test(new URL(value).protocol), rule(say('URL_NOT_HTTPS')))
  .refine(
    (value) => new URL(value).username === '' && new URL(value).password === '',
    rule(say('URL_CREDENTIALS')),
  )
  .refine((value) => new URL(value).hash === '', rule(say('URL_FRAGMENT')))
  .meta(webhookUrlShape)

const typesMax = 100

/** Types of changes that a webhook receives. */
export const changeTypes = list(oneOf(values['Change.type'])).max(
  typesMax,
  rule(say('WEBHOOK_TYPES_MAX', { max: typesMax })),
)
