import type { FastifyReply } from 'fastify'
import type { Route } from '../route.ts'
import type { AnswerQuery } from './answer-query.ts'
import { nextPageLink } from './cursor.ts'
import { pageSizeDefault } from './query.ts'

type Paged = Pick<Route, 'answer'> & Required<Pick<Route, 'pagedBy'>>

/**
 * Returns a page of a whole list, and sets the Link header if entries follow
 * (docs/api/lists.md#paging). Lists are bounded and ordered by ID, so the cursor is the ID of the
 * last entry: it stays valid when that entry is deleted.
 */
export function pageOf(
  list: readonly unknown[],
  { limit, after }: AnswerQuery,
  { reply, ...route }: Paged & { reply: FastifyReply },
): readonly unknown[] {
  if (limit === undefined && after === undefined) return list
  const { newestFirst } = route.pagedBy
  const isBehind = (id: string, cursor: string) => (newestFirst ? id < cursor : id > cursor)
  const rest = after === undefined ? list : list.filter((one) => isBehind(idOf(one, route), after))
  const page = rest.slice(0, limit ?? pageSizeDefault)
  const last = page.at(-1)
  if (rest.length > page.length) {
    reply.header('link', nextPageLink(reply.request.url, [idOf(last, route)]))
  }
  return page
}

/** Returns the ID of an entry, which is a message, or an object with a message and more keys. */
function idOf(entry: unknown, { answer, pagedBy }: Paged): string {
  const list = answer && 'nullable' in answer ? answer.nullable : answer
  const isWrapped = list && 'list' in list && 'message' in list.list
  const message = isWrapped ? (entry as { message: unknown }).message : entry
  return (message as Record<string, string>)[pagedBy.id] ?? ''
}
