import { z } from 'zod'
import { keysOf } from '../answers/answer-keys.ts'
import { idPrefixes } from '../fields/id-prefixes.ts'
import type { Route } from '../route.ts'
import { keyList, wholeListPage } from './query.ts'

/**
 * Returns the schema of query parameters that depend on a route's answer (docs/api/lists.md):
 * `limit` and `after` for a list that is paged by its IDs, and `fields` for a GET whose answer has
 * known keys.
 */
export function answerQuery({ method, answer, pagedBy }: Route) {
  const keys = method === 'GET' && answer ? keysOf(answer) : []
  const prefix = pagedBy && idPrefixes[pagedBy.id]
  return z.object({
    ...(prefix ? wholeListPage(prefix).shape : {}),
    ...(keys.length > 0 ? { fields: keyList(keys) } : {}),
  }) as z.ZodType<AnswerQuery>
}

/** Parsed values of the parameters of `answerQuery`; undefined if not sent. */
export interface AnswerQuery {
  limit?: number | undefined
  after?: string | undefined
  fields?: string[] | undefined
}
