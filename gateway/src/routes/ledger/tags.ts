import { say } from '@coffer/kit/reasons/reasons'
import {
  ListTagsResponseSchema,
  RenameTagsResponseSchema,
  TagService,
} from '@coffer/proto/ledger/v1/tag'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { list, nullOr, rule } from '../../http/fields/fields.ts'
import { tag } from '../../http/fields/tag.ts'
import { type Route, route } from '../../http/route.ts'

const countText = say('TAG_COUNT', { min: 1, max: 20 })

const renaming = z.strictObject({
  tags: list(tag)
    .min(1, rule(countText))
    .max(20, rule(countText))
    .describe('Tags to rename, 1 to 20, in any case and accents; several become one'),
  name: nullOr(tag).describe('New name; null removes the tags'),
})

/** Returns the routes of the tags of an account (docs/rules/tags.md). */
export function tagRoutes({ mesh }: RouteDeps): Route[] {
  const tags = mesh.client('ledger', TagService)
  return [
    route({
      id: 'listTags',
      tag: 'Transactions',
      method: 'GET',
      path: '/api/tags',
      summary: 'Tags of all bank accounts with the number of transactions, the most frequent first',
      description:
        'At most 1,000. Tags that differ in case or accents only are one, in the most frequent ' +
        'spelling (docs/rules/tags.md).',
      since: '0.4.0',
      auth: 'key',
      answer: ListTagsResponseSchema,
      handler: ({ options }) => tags.listTags({}, options),
    }),
    route({
      id: 'renameTags',
      tag: 'Transactions',
      method: 'PATCH',
      path: '/api/tags',
      summary: 'Rename, merge or remove tags on all transactions of the account',
      description:
        'Changes at most 2,000 transactions, in archived bank accounts and soft-deleted ones ' +
        'too. Repeat the request until isComplete is true: each repetition continues ' +
        '(docs/rules/tags.md).',
      since: '0.4.0',
      auth: 'key',
      body: renaming,
      answer: RenameTagsResponseSchema,
      handler: ({ body, options }) => tags.renameTags(valuesOf(body), options),
    }),
  ]
}
