import type { JsonSchema } from '../http/answers/answer.ts'
import { type HeaderName, headersOf } from '../http/answers/headers.ts'
import { bodyBoundsOf } from '../http/bodies/body-bounds.ts'
import { answerQuery } from '../http/queries/answer-query.ts'
import { namesOf } from '../http/queries/query.ts'
import { authClasses, type Route } from '../http/route.ts'
import type { ErrorSchema } from './errors.ts'
import { type RefusalExample, readExamples, refusalExample } from './examples.ts'
import { inputSchema } from './schemas.ts'

interface Refusal {
  /** Name of the response in the components of the document. */
  name: string
  description: string
  schema?: ErrorSchema
  headers?: readonly HeaderName[]
}

// Refusals and failures by status (docs/api/errors.md).
const refusals: Record<string, Refusal> = {
  400: {
    name: 'BadRequest',
    description: 'Malformed, of the wrong kind, against a rule, or beyond a bound: see `problems`',
    schema: 'InvalidRequest',
  },
  401: {
    name: 'Unauthorized',
    description: 'The credential is missing or refused: see `code`',
    schema: 'RefusedCredential',
    headers: ['WWW-Authenticate'],
  },
  402: { name: 'PaymentRequired', description: 'The account is not paid up' },
  403: {
    name: 'Forbidden',
    description: 'A page of another origin, an API key that may only read, or not the owner',
  },
  404: { name: 'NotFound', description: 'No such object, or the feature is off' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path has no such method: see `Allow`',
    headers: ['Allow'],
  },
  406: { name: 'NotAcceptable', description: 'The aggregator is off' },
  409: { name: 'Conflict', description: 'The state of the object does not allow it yet' },
  412: {
    name: 'PreconditionFailed',
    description: 'The object has changed since the tag in If-Match was read: see `ETag`',
    schema: 'ChangedObject',
    headers: ['ETag'],
  },
  413: { name: 'ContentTooLarge', description: 'The body is larger than the operation accepts' },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The Content-Type is another one, or the body has a Content-Encoding',
    headers: ['Accept-Encoding'],
  },
  422: {
    name: 'UnprocessableContent',
    description: 'The Idempotency-Key was used with another request',
  },
  424: { name: 'FailedDependency', description: 'It cannot be applied yet: repeat it later' },
  425: {
    name: 'TooEarly',
    description: 'Requested again too soon: repeat after Retry-After',
    headers: ['Retry-After'],
  },
  426: {
    name: 'UpgradeRequired',
    description: 'A WebSocket handshake of another version',
    headers: ['Sec-WebSocket-Version'],
  },
  428: {
    name: 'CodesLocked',
    description: 'A hundred wrong codes in a row have locked the second factor: code is MFA_LOCKED',
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests, attempts, files or sockets: repeat after Retry-After',
    headers: ['Retry-After'],
  },
  500: {
    name: 'InternalServerError',
    description: 'A fault of the server, or a provider failed',
    schema: 'ServerError',
  },
  503: {
    name: 'ServiceUnavailable',
    description: 'A service is away or busy, and nothing was done: repeat after Retry-After',
    headers: ['Retry-After'],
  },
  504: {
    name: 'GatewayTimeout',
    description: 'No answer in time; a write may have been carried out: look before repeating',
  },
  default: {
    name: 'OtherError',
    description:
      'Refused before the operation: 408, 417 and 431 of HTTP itself, 409 by `Coffer-User` or ' +
      '`Coffer-Build`',
  },
}

/** Returns the responses for the components of the document: one for each example of a status. */
export function refusalResponses(): [name: string, response: JsonSchema][] {
  return Object.entries(refusals).flatMap(([status, refusal]) => {
    const examples = examplesAt(status)
    const isOfAll = examples.some(({ group }) => group === '')
    return [...(isOfAll ? [] : [undefined]), ...examples].map((example): [string, JsonSchema] => [
      nameOf(refusal, example),
      responseOf(refusal, example),
    ])
  })
}

function examplesAt(status: string): RefusalExample[] {
  return readExamples().refusals.filter((one) => String(one.status) === status)
}

function responseOf(
  { description, schema = 'Error', headers = [] }: Refusal,
  example: RefusalExample | undefined,
): JsonSchema {
  const { error, problemDetails } = refusalExample(example)
  const details = { $ref: '#/components/schemas/ProblemDetails' }
  const content = {
    'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, ...error },
    'application/problem+json': { schema: details, ...problemDetails },
  }
  return { description, headers: headersOf(headers), content }
}

/**
 * Returns the name of a response. It contains the name of the example, unless the example applies
 * to all operations.
 */
function nameOf({ name }: Refusal, example: RefusalExample | undefined): string {
  if (!example || example.group === '') return name
  return `${name}${example.name.charAt(0).toUpperCase()}${example.name.slice(1)}`
}

/**
 * Returns a reference to the response of a status, with the example for the route; null if the
 * document has no response for the status.
 */
export function refusalOf(
  status: number | string,
  route: Route,
  description?: string,
): JsonSchema | null {
  const refusal = refusals[status]
  if (!refusal) return null
  const examples = examplesAt(String(status))
  const group = refusalGroup(Number(status), route)
  const fitting =
    examples.find(({ operations }) => operations.includes(route.id)) ??
    examples.find((one) => one.group === group)
  const text = description === undefined ? {} : { description }
  return { $ref: `#/components/responses/${nameOf(refusal, fitting)}`, ...text }
}

/**
 * Returns the group of operations that share an example for a status, because their refusals are
 * alike; empty if all operations share it.
 */
export function refusalGroup(status: number, route: Route): string {
  const { auth, method, path, body, file, feature, attempts, reads, socket, webhook } = route
  const isList = route.isPaged || route.pagedBy
  const acceptsKey = authClasses[auth].key
  const sent = webhook ? 'webhook' : file ? 'file' : body ? 'body' : ''
  const id = [...path.matchAll(/:(\w+)/g)].at(-1)?.[1] ?? (isList ? 'list' : 'none')
  const caller = auth === 'none' || auth === 'multifactor' ? auth : acceptsKey ? 'key' : 'session'
  const groups: Record<number, string> = {
    400: sent || id,
    401: caller,
    403: socket ? 'socket' : acceptsKey && !reads ? 'scope' : 'origin',
    404: id,
    406: feature ?? 'none',
    413: bodyBoundsOf(route).size,
    415: sent,
    429: attempts ? 'attempts' : auth === 'none' ? 'client' : caller,
    504: method === 'GET' ? 'read' : 'write',
  }
  return groups[status] ?? ''
}

/** Returns the statuses of refusals and failures that a route's declaration implies. */
export function refusalStatuses(route: Route): (number | 'default')[] {
  const { auth, method, path, query, body, file, feature, socket, webhook, hasEffect } = route
  const hasBody = Boolean(body ?? file ?? webhook)
  const hasId = path.includes(':')
  const follows: [number, unknown][] = [
    [400, method !== 'GET' || query || hasId || socket || namesOf(answerQuery(route)).length > 0],
    [401, auth !== 'none'],
    [402, authClasses[auth].paid],
    [403, method !== 'GET' || hasEffect || socket],
    [404, hasId || route.find || namesObject(route) || (feature && feature !== 'aggregator')],
    [405, true],
    [406, feature === 'aggregator'],
    [412, route.isConditional],
    [413, hasBody],
    [415, hasBody],
    [422, route.idempotent],
    [425, route.isThrottled],
    [426, socket],
    [429, true],
    [500, true],
    [503, true],
    [504, true],
  ]
  return [...follows.flatMap(([status, isPossible]) => (isPossible ? status : [])), 'default']
}

/**
 * Returns whether body or query contains the ID of an object that may not exist. IDs nested in the
 * body do not count: there, an unknown ID is 400.
 */
function namesObject({ body, query }: Route): boolean {
  const inputs = [body, query].flatMap((schema) => schema ?? [])
  const values = inputs.flatMap((schema) => Object.values(inputSchema(schema).properties ?? {}))
  return values.some((one) => !('properties' in one) && JSON.stringify(one).includes('_[0-7]'))
}
