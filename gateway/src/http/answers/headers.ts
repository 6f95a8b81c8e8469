/** Response headers that the OpenAPI document describes (docs/api.md#headers-of-every-answer). */
export const headers = {
  'X-Request-Id': {
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    description: 'ID of the request, that of its own header `X-Request-Id` if it sent one',
  },
  'Accept-Encoding': {
    schema: { type: 'string', const: 'identity' },
    description: 'Sent if the body had a `Content-Encoding`: it has to be sent without one',
  },
  Allow: {
    schema: { type: 'string' },
    description: 'The methods that the path has, separated by commas',
  },
  'Coffer-Recalculation': {
    schema: { type: 'string', const: 'pending' },
    description:
      'Sent if the money has moved but the new contributions are not calculated yet: `spending` ' +
      'is left out or empty, and a read soon shows them',
  },
  'Content-Disposition': {
    schema: { type: 'string' },
    description: 'The file name under which a browser stores the answer',
  },
  ETag: {
    schema: { type: 'string', pattern: '^(W/)?"[\\x21\\x23-\\x7e]+"$' },
    description:
      'Tag of this state for If-None-Match; that of an object, which is strong, for If-Match too',
  },
  'Idempotency-Replayed': {
    schema: { type: 'string', const: 'true' },
    description: 'Sent if this is the answer to an earlier request with the same Idempotency-Key',
  },
  Link: {
    schema: { type: 'string' },
    description:
      'The next page, as rel="next"; missing at the end. A page may hold fewer than limit',
  },
  RateLimit: {
    schema: { type: 'string' },
    description:
      'What is left of the budgets of the key and the account, if the server has budgets',
  },
  'RateLimit-Policy': {
    schema: { type: 'string' },
    description: 'The budgets of the key and the account: their quotas and windows in seconds',
  },
  'Retry-After': {
    schema: { type: 'integer', minimum: 1 },
    description: 'Number of seconds before the request may be repeated',
  },
  'Sec-WebSocket-Version': {
    schema: { type: 'string', const: '13' },
    description: 'The only version',
  },
  'Set-Cookie': {
    schema: { type: 'string' },
    description: 'The cookie with the session; after the end of the session, an empty one',
  },
  'WWW-Authenticate': {
    schema: { type: 'string' },
    description: 'The required credential; Basic only for clients that are not browsers',
  },
} as const

export type HeaderName = keyof typeof headers

const ofEveryAnswer = ['RateLimit', 'RateLimit-Policy', 'X-Request-Id'] as const

/** Returns the headers of an answer as references to components of the OpenAPI document. */
export function headersOf(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  const all = [...names, ...ofEveryAnswer]
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
