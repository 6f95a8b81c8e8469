import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import { credentialRefusals } from '@coffer/kit/rpc/errors'
import { internal, null_when_empty, omit } from '@coffer/proto/options/v1/options'
import { z } from 'zod'
import type { Answer, JsonSchema } from './answer.ts'
import { externalIds, idPattern, idPrefixes } from './bodies/fields.ts'
import { authClasses, methodsOf, type Route } from './route.ts'

const problem = { $ref: '#/components/schemas/Error' }

/** Returns the OpenAPI 3.1 document, from the schemas that validate requests and render answers. */
export function openapi(routes: Route[], { cookieName }: { cookieName: string }): JsonSchema {
  const schemas: Record<string, JsonSchema> = { Error: errorSchema }
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    for (const method of methodsOf(route)) {
      paths[path][method.toLowerCase()] = operationOf({ ...route, method }, schemas)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Coffer', version: '1' },
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

type Operation = Omit<Route, 'method'> & { method: string }

function operationOf(route: Operation, schemas: Record<string, JsonSchema>): JsonSchema {
  const { summary, auth, body, file } = route
  const accepted = auth === 'none' ? [] : [{ session: [] }]
  const content = file
    ? { 'multipart/form-data': { schema: formSchema(file) } }
    : { 'application/json': { schema: body && inputSchema(body) } }
  return {
    summary,
    ...(route.socket ? { 'x-websocket': true } : {}),
    security: authClasses[auth].key ? [{ key: [] }, ...accepted] : accepted,
    parameters: parametersOf(route),
    ...(body || file ? { requestBody: { required: true, content } } : {}),
    responses: responsesOf(route, schemas),
  }
}

function responsesOf(operation: Operation, schemas: Record<string, JsonSchema>): JsonSchema {
  const { method, auth, success, answer, alternative, isPaged, isLongPoll } = operation
  const of = (schema: JsonSchema, other?: string) =>
    method === 'HEAD' ? {} : contentOf(schema, other)
  const refused = { description: 'The credential is missing or refused: see `code`' }
  const headers = { 'WWW-Authenticate': challengeHeader }
  const done = {
    [success ?? 200]: {
      description: success === 202 ? 'Accepted: the work runs in the background' : 'Done',
      ...(isPaged ? { headers: { Link: linkHeader } } : {}),
      ...(answer ? of(answerSchema(answer, schemas), alternative) : {}),
    },
  }
  return {
    ...(operation.socket ? socketResponses : done),
    ...(isLongPoll ? { 408: { description: 'Nothing has happened in time: repeat' } } : {}),
    ...(operation.isThrottled ? { 425: tooEarly } : {}),
    ...(auth === 'none' ? {} : { 401: { ...refused, headers, ...of(problem) } }),
    default: { description: 'Refused or failed', ...of(problem) },
  }
}

function parametersOf({ path, query, idempotent }: Operation): JsonSchema[] {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', pattern: patternOf(name) },
  }))
  const { properties = {} } = query ? inputSchema(query) : {}
  const queried = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }))
  const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string', maxLength: 255 } }
  return [...ids, ...queried, ...(idempotent ? [key] : [])]
}

function patternOf(name: string): string {
  return externalIds[name]?.form.source ?? idPattern(idPrefixes[name] ?? '')
}

function inputSchema(schema: z.ZodType): JsonSchema & { properties?: Record<string, unknown> } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}

function answerSchema(answer: Answer, schemas: Record<string, JsonSchema>): JsonSchema {
  if ('kind' in answer) return messageSchema(answer, schemas)
  if ('json' in answer) return answer.json
  if ('list' in answer) return { type: 'array', items: answerSchema(answer.list, schemas) }
  if ('object' in answer) return objectSchema(answer.object, schemas)
  const { message } = answer
  return { allOf: [messageSchema(message, schemas), objectSchema(answer.with, schemas)] }
}

function objectSchema(keys: Record<string, Answer>, schemas: Record<string, JsonSchema>) {
  const properties = Object.entries(keys).map(([key, of]) => [key, answerSchema(of, schemas)])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** Returns a `$ref` to the message's schema, and adds the schema to the components. */
function messageSchema(desc: DescMessage, schemas: Record<string, JsonSchema>): JsonSchema {
  if (!schemas[desc.name]) {
    const shown = desc.fields.filter((field) => !getOption(field, internal))
    schemas[desc.name] = {}
    const required = shown.filter((field) => !getOption(field, omit))
    schemas[desc.name] = {
      type: 'object',
      properties: Object.fromEntries(
        shown.map((field) => [field.localName, fieldSchema(field, schemas)]),
      ),
      required: required.map(({ localName }) => localName),
    }
  }
  return { $ref: `#/components/schemas/${desc.name}` }
}

function fieldSchema(field: DescField, schemas: Record<string, JsonSchema>): JsonSchema {
  const value = valueSchema(field, schemas)
  const schema = field.fieldKind === 'list' ? { type: 'array', items: value } : value
  const isNullable = field.proto.proto3Optional && !getOption(field, omit)
  return isNullable || getOption(field, null_when_empty)
    ? { anyOf: [schema, { type: 'null' }] }
    : schema
}

function valueSchema(field: DescField, schemas: Record<string, JsonSchema>): JsonSchema {
  const { message, scalar } = field
  if (message?.typeName === TimestampSchema.typeName) return { type: 'string', format: 'date-time' }
  if (message) return messageSchema(message, schemas)
  if (scalar === ScalarType.STRING) return { type: 'string' }
  if (scalar === ScalarType.DOUBLE) return { type: 'number' }
  return { type: scalar === ScalarType.BOOL ? 'boolean' : 'integer' }
}

function formSchema(file: string): JsonSchema {
  const description =
    'The only file of the form, at most 6 MiB. Its content decides its kind, then its name; the ' +
    'media type of the part is ignored.'
  const binary = { type: 'string', format: 'binary', description }
  return { type: 'object', properties: { [file]: binary }, required: [file] }
}

function contentOf(schema: JsonSchema, alternative?: string) {
  const other = alternative === undefined ? {} : { [alternative]: { schema: { type: 'string' } } }
  return { content: { 'application/json': { schema }, ...other } }
}

const linkHeader = {
  schema: { type: 'string' },
  description: 'The next page, as rel="next"; missing at the end. A page may hold fewer than limit',
}

const challengeHeader = {
  schema: { type: 'string' },
  description: 'The required credential; Basic only for clients that are not browsers',
}

const retryAfterHeader = {
  schema: { type: 'integer' },
  description: 'Number of seconds before the request may be repeated',
}

const tooEarly = {
  description: 'Requested again too soon: repeat after Retry-After',
  headers: { 'Retry-After': retryAfterHeader },
  ...contentOf(problem),
}

const versionHeader = { schema: { type: 'string', const: '13' }, description: 'The only version' }

/** Answers to a WebSocket handshake (docs/api.md#sockets); refusals have a JSON body. */
const socketResponses = {
  101: { description: 'The WebSocket is open: text frames with a JSON object each' },
  400: { description: 'No handshake, or an ID of another kind', ...contentOf(problem) },
  403: { description: 'A page of another origin', ...contentOf(problem) },
  404: { description: 'No such object, or the feature is off', ...contentOf(problem) },
  426: {
    description: 'A handshake of another version',
    headers: { 'Sec-WebSocket-Version': versionHeader },
    ...contentOf(problem),
  },
  429: {
    description: 'The account has too many open sockets',
    headers: { 'Retry-After': retryAfterHeader },
    ...contentOf(problem),
  },
  503: {
    description: 'The service that the socket shows is away, or the process has too many sockets',
    headers: { 'Retry-After': retryAfterHeader },
    ...contentOf(problem),
  },
}

const errorSchema = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'The fault, for people; the text may change' },
    code: {
      type: 'string',
      description: 'Stable code of the refusal, for programs',
      examples: Object.keys(credentialRefusals),
    },
    problems: { type: 'object', description: 'Faults by field of the body or query' },
    requestId: { type: 'string', description: 'Quote it when you report a failure' },
  },
  required: ['error'],
}
