import type { JsonSchema } from '../answer.ts'
import { answerQuery } from '../answer-query.ts'
import { externalIds, idPattern, idPrefixes } from '../bodies/fields.ts'
import { authClasses, type Route } from '../route.ts'
import { details } from './details.ts'
import { pathIds } from './path-ids.ts'
import { errorSchema, responsesOf } from './responses.ts'
import { describedBy, inputSchema, type Schemas } from './schemas.ts'
import { tags } from './tags.ts'

/**
 * Returns the OpenAPI 3.1 document, from the schemas that validate requests and render answers.
 * HEAD is no operation of its own: a generated client would have each reading method twice.
 */
export function openapi(routes: Route[], { cookieName }: { cookieName: string }): JsonSchema {
  const schemas: Schemas = { Error: errorSchema }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Coffer', version: '1' },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'basic', description: 'API key ID and secret' },
        session: { type: 'apiKey', in: 'cookie', name: cookieName },
      },
    },
  }
}

function operationOf(route: Route, schemas: Schemas): JsonSchema {
  const { id, tag, summary, auth, body, file } = route
  const accepted = auth === 'none' ? [] : [{ session: [] }]
  const content = file
    ? { 'multipart/form-data': { schema: formSchema(file) } }
    : { 'application/json': { schema: body && inputSchema(body) } }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...describedBy(details[id]),
    ...(route.socket ? { 'x-websocket': true } : {}),
    security: authClasses[auth].key ? [{ key: [] }, ...accepted] : accepted,
    parameters: parametersOf(route),
    ...(body || file ? { requestBody: { required: true, content } } : {}),
    responses: responsesOf(route, schemas),
  }
}

function parametersOf(route: Route): JsonSchema[] {
  const { path, query, idempotent } = route
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...describedBy(pathIds[name]),
    schema: { type: 'string', pattern: patternOf(name) },
  }))
  const ofAnswer = inputSchema(answerQuery(route)).properties
  const properties = { ...(query && inputSchema(query).properties), ...ofAnswer }
  const queried = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...describedBy(description),
    schema,
  }))
  const description =
    'Text chosen by the client: a repeated request with the same one gets the first answer, for ' +
    '24 hours (docs/api.md#idempotency-key)'
  const schema = { type: 'string', maxLength: 255 }
  const key = { name: 'Idempotency-Key', in: 'header', description, schema }
  return [...ids, ...queried, ...(idempotent ? [key] : [])]
}

function patternOf(name: string): string {
  return externalIds[name]?.form.source ?? idPattern(idPrefixes[name] ?? '')
}

function formSchema(file: string): JsonSchema {
  const description =
    'The only file of the form, at most 6 MiB. Its content decides its kind, then its name; the ' +
    'media type of the part is ignored.'
  const binary = { type: 'string', format: 'binary', description }
  return { type: 'object', properties: { [file]: binary }, required: [file] }
}
