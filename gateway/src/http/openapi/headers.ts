export const linkHeader = {
  schema: { type: 'string' },
  description: 'The next page, as rel="next"; missing at the end. A page may hold fewer than limit',
}

export const challengeHeader = {
  schema: { type: 'string' },
  description: 'The required credential; Basic only for clients that are not browsers',
}

export const retryAfterHeader = {
  schema: { type: 'integer' },
  description: 'Number of seconds before the request may be repeated',
}

export const versionHeader = {
  schema: { type: 'string', const: '13' },
  description: 'The only version',
}
