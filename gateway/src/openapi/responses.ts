import type { JsonSchema, OtherAnswer } from '../http/answers/answer.ts'
import { type HeaderName, headersOf } from '../http/answers/headers.ts'
import { isTaggedRead, type Route } from '../http/route.ts'
import { answerExamples } from './examples.ts'
import { refusalOf, refusalStatuses } from './refusals.ts'
import { answerSchema, type Schemas } from './schemas.ts'

/**
 * Returns the answers of an operation by status, and adds the schemas of their messages to the
 * components.
 */
export function responsesOf(route: Route, schemas: Schemas): JsonSchema {
  const others = Object.entries(route.answers ?? {}).map(([status, of]) => [
    status,
    typeof of === 'string' ? described(status, route, of) : done(route, { ...of, status }, schemas),
  ])
  const refused = refusalStatuses(route).map((status) => [status, refusalOf(status, route)])
  return {
    ...(isTaggedRead(route) ? { 304: notModified } : {}),
    ...(route.socket ? { 101: switching } : { [route.success ?? 200]: success(route, schemas) }),
    ...Object.fromEntries(refused),
    ...Object.fromEntries(others),
  }
}

const notModified = {
  description: 'The client has the present answer: its tag was in If-None-Match',
  headers: headersOf(['ETag']),
}

const switching = {
  description: 'The WebSocket is open: text frames with a JSON object each, see `x-websocket`',
}

function success(route: Route, schemas: Schemas): JsonSchema {
  const { answer, success: status = 200 } = route
  const description = status === 202 ? 'Accepted: the work runs in the background' : 'Done'
  if (!answer) return { description, headers: headersOf(successHeaders(route)) }
  return done(route, { description, answer, status }, schemas)
}

function done(
  route: Route,
  { description, answer, status }: OtherAnswer & { status: number | string },
  schemas: Schemas,
): JsonSchema {
  const { id, alternative } = route
  const other = alternative === undefined ? {} : { [alternative]: { schema: { type: 'string' } } }
  const schema = answerSchema(answer, schemas)
  return {
    description,
    headers: headersOf(successHeaders(route)),
    content: {
      'application/json': { schema, ...answerExamples(id, Number(status)) },
      ...other,
    },
  }
}

function successHeaders(route: Route): HeaderName[] {
  const { isPaged, pagedBy, idempotent, headers = [] } = route
  return [
    ...(isTaggedRead(route) || route.tagged ? (['ETag'] as const) : []),
    ...headers,
    ...(isPaged || pagedBy ? (['Link'] as const) : []),
    ...(idempotent ? (['Idempotency-Replayed'] as const) : []),
  ]
}

/** Returns a refusal with a description of its own, or an answer without content. */
function described(status: string, route: Route, description: string): JsonSchema {
  return refusalOf(status, route, description) ?? { description, headers: headersOf([]) }
}
