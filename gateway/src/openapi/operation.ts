import type { JsonSchema } from '../http/answers/answer.ts'
import { idPattern } from '../http/fields/fields.ts'
import { externalIds, idPrefixes } from '../http/fields/id-prefixes.ts'
import { answerQuery } from '../http/queries/answer-query.ts'
import { authClasses, isTaggedRead, type Route } from '../http/route.ts'
import { requestExamples } from './examples.ts'
import { parameterExample } from './parameter-examples.ts'
import { pathIds } from './path-ids.ts'
import { responsesOf } from './responses.ts'
import { answerSchema, describedBy, inputSchema, type Schemas } from './schemas.ts'

/** Returns the operation of a route, and adds the schemas of its messages to the components. */
export function operationOf(route: Route, schemas: Schemas): JsonSchema {
  const { id, tag, summary, since, auth, frames } = route
  const accepted = auth === 'none' ? [] : [{ session: [] }]
  const requestBody = requestBodyOf(route)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...describedBy(descriptionOf(route)),
    'x-since': since,
    ...(frames ? { 'x-websocket': { frames: frames.map((of) => answerSchema(of, schemas)) } } : {}),
    security: authClasses[auth].key ? [{ key: [] }, ...accepted] : accepted,
    parameters: parametersOf(route),
    ...(requestBody ? { requestBody } : {}),
    responses: responsesOf(route, schemas),
  }
}

const socketText =
  'The handshake needs the credential of any other request. Refusals have a JSON body. The ' +
  'server ends the socket after the last frame (docs/api.md#sockets).'

/** Returns the description of a route; for WebSockets with a text about all of them. */
function descriptionOf({ description, socket }: Route): string {
  return socket ? `${description} ${socketText}` : description
}

function requestBodyOf(route: Route): JsonSchema | null {
  const { id, body, file, formParts, webhook, isBodyOptional = false } = route
  const required = !isBodyOptional
  if (file) {
    const schema = formSchema(file, formParts)
    return { required, content: { 'multipart/form-data': { schema } } }
  }
  if (!body && !webhook) return null
  const schema: JsonSchema = body ? inputSchema(body) : messageOfAnother
  const examples = requestExamples(id, schema)
  return { required, content: { 'application/json': { schema, ...examples } } }
}

const messageOfAnother = { type: 'object', description: 'The message, as its sender defines it' }

function parametersOf(route: Route): JsonSchema[] {
  const { path, query, idempotent, webhook } = route
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...describedBy(pathIds[name]),
    schema: { type: 'string', pattern: patternOf(name) },
    ...parameterExample(route, name),
  }))
  const ofAnswer = inputSchema(answerQuery(route)).properties
  const properties = { ...(query && inputSchema(query).properties), ...ofAnswer }
  const queried = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...describedBy(description),
    schema,
    ...parameterExample(route, name, schema),
  }))
  return [
    ...ids,
    ...queried,
    ...(idempotent ? [idempotencyKey] : []),
    ...(isTaggedRead(route) ? [ifNoneMatchOf(route)] : []),
    ...(route.isConditional ? [ifMatch] : []),
    ...(webhook ? [signatureIn(webhook)] : []),
  ]
}

/** The header that makes retries safe (docs/api.md#idempotency-key). */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A text chosen by the client: within 24 hours, a repeated request with the same one gets the ' +
    'first answer instead of a second write',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
}

/** Example of a strong entity tag. */
const objectTag = '"Vn4cQd2tXgKz0yWb7LrUaA"'

/** Returns the parameter `If-None-Match` (docs/api/conditional-requests.md). */
function ifNoneMatchOf({ tagged }: Route): JsonSchema {
  return {
    name: 'If-None-Match',
    in: 'header',
    description: 'Tags of answers that the client has: 304 if the present one is among them',
    schema: { type: 'string' },
    example: tagged ? objectTag : `W/${objectTag}`,
  }
}
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description: 'Tag of the object as the client read it: 412 if the object has changed since',
  schema: { type: 'string', pattern: tagList() },
  example: objectTag,
}

/** Returns the pattern of `*` or a list of entity tags (RFC 9110, 8.8.3). */
function tagList(): string {
  const tag = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"'
  return `^\\s*(?:\\*|[\\s,]*${tag}(?:[ \\t]*,[ \\t,]*${tag})*[ \\t,]*)\\s*$`
}

function signatureIn(name: string): JsonSchema {
  const description = 'The signature of the message by its sender'
  return { name, in: 'header', required: true, description, schema: { type: 'string' } }
}

function patternOf(name: string): string {
  return externalIds[name]?.form.source ?? idPattern(idPrefixes[name] ?? '')
}

function formSchema(file: string, parts: Route['formParts'] = {}): JsonSchema {
  const description =
    'The only file of the form, at most 6 MiB. Its content decides its kind, then its name; the ' +
    'media type of the part is ignored.'
  const binary = { type: 'string', format: 'binary', description }
  const others = Object.entries(parts).map(([name, schema]) => [name, inputSchema(schema)])
  const properties = { [file]: binary, ...Object.fromEntries(others) }
  return { type: 'object', properties, required: [file] }
}
