import { credentialRefusals } from '@coffer/kit/rpc/errors'
import type { JsonSchema } from '../answer.ts'
import type { Route } from '../route.ts'
import { challengeHeader, linkHeader, retryAfterHeader, versionHeader } from './headers.ts'
import { answerSchema, type Schemas } from './schemas.ts'

const problem = { $ref: '#/components/schemas/Error' }

/** Returns the answers of an operation by status; adds schemas of messages to the components. */
export function responsesOf(operation: Route, schemas: Schemas): JsonSchema {
  const { auth, success, answer, alternative, isPaged, pagedBy, isLongPoll } = operation
  const refused = { description: 'The credential is missing or refused: see `code`' }
  const headers = { 'WWW-Authenticate': challengeHeader }
  const done = {
    [success ?? 200]: {
      description: success === 202 ? 'Accepted: the work runs in the background' : 'Done',
      ...(isPaged || pagedBy ? { headers: { Link: linkHeader } } : {}),
      ...(answer ? contentOf(answerSchema(answer, schemas), alternative) : {}),
    },
  }
  return {
    ...(operation.socket ? socketResponses : done),
    ...(isLongPoll ? { 408: { description: 'Nothing has happened in time: repeat' } } : {}),
    ...(operation.isThrottled ? { 425: tooEarly } : {}),
    ...(auth === 'none' ? {} : { 401: { ...refused, headers, ...contentOf(problem) } }),
    default: { description: 'Refused or failed', ...contentOf(problem) },
  }
}

function contentOf(schema: JsonSchema, alternative?: string) {
  const other = alternative === undefined ? {} : { [alternative]: { schema: { type: 'string' } } }
  return { content: { 'application/json': { schema }, ...other } }
}

const tooEarly = {
  description: 'Requested again too soon: repeat after Retry-After',
  headers: { 'Retry-After': retryAfterHeader },
  ...contentOf(problem),
}

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

/** Schema of the body of every refusal and failure (docs/api/errors.md). */
export const errorSchema = {
  type: 'object',
  description: 'The body of every refusal and failure',
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
