import { credentialRefusals } from '@coffer/kit/rpc/errors'

const error = { type: 'string', description: 'The fault, for people; the text may change' }

/** Schema of the hints of a refusal (docs/api/errors.md#hints). */
export const hintsSchema = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  description:
    'Ways to mend the request, for people; left out if there are none. Programs branch on `code` ' +
    'and `problems`',
} as const

/** Schemas of the members that identify refusals for programs (docs/api/refusals.md). */
export const reasonSchemas = {
  code: {
    type: 'string',
    description:
      'Stable code of the refusal, for programs, if it has one; the list grows ' +
      '(docs/api/refusals.md)',
  },
  params: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Values of the sentence by name, such as a bound; left out if there are none',
  },
  cause: {
    $ref: '#/components/schemas/Reason',
    description: 'Code and values of the value `fault`; left out if that is no text with a code',
  },
  errors: {
    type: 'array',
    minItems: 1,
    items: { $ref: '#/components/schemas/Fault' },
    description: 'The faults of `problems` as a list, with their codes; at most 100',
  },
} as const

const requestId = { type: 'string', description: 'Quote it when you report the failure' }
const faults = {
  $ref: '#/components/schemas/Problems',
  description: 'The faults by key, if the refusal is about keys of the request',
}

/** A problem: a text, or the problems of the parts of a value. */
const problem = {
  anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Problems' }],
}

/** Schemas of the bodies of refusals and failures, by name (docs/api/errors.md). */
export const errorSchemas = {
  Error: {
    type: 'object',
    description: 'A refusal or failure',
    properties: { error, hints: hintsSchema },
    required: ['error'],
  },
  InvalidRequest: {
    type: 'object',
    description: 'A refused request, with the faults of its fields if it has any',
    properties: {
      error,
      problems: faults,
      hints: hintsSchema,
    },
    required: ['error'],
  },
  Problems: {
    type: 'object',
    description:
      'Faults by key of the body or query: a text, or again faults by key. If a value may have ' +
      'several shapes, `oneOf` lists the faults against each',
    additionalProperties: { anyOf: [...problem.anyOf, { type: 'array', items: problem }] },
  },
  RefusedCredential: {
    type: 'object',
    description: 'The refusal of a missing or wrong credential',
    properties: {
      error,
      code: {
        type: 'string',
        description: 'Stable code of the refusal, for programs; none for a wrong password or code',
        enum: [...Object.keys(credentialRefusals), 'PROOF_REQUIRED'],
      },
      hints: hintsSchema,
    },
    required: ['error'],
  },
  ChangedObject: {
    type: 'object',
    description: 'The refusal of a change to an object that has changed since it was read',
    properties: {
      error,
      code: { type: 'string', description: 'Stable code of the refusal', const: 'OBJECT_CHANGED' },
    },
    required: ['error', 'code'],
  },
  ProblemDetails: {
    type: 'object',
    description: 'A refusal or failure by RFC 9457, for a request that accepts it',
    properties: {
      type: { type: 'string', format: 'uri-reference', description: 'Page about the status' },
      title: { type: 'string', description: 'Phrase of the status, such as Bad Request' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'Status of the answer' },
      detail: error,
      ...reasonSchemas,
      problems: faults,
      hints: hintsSchema,
      requestId,
    },
    required: ['type', 'title', 'status', 'detail'],
  },
  Fault: {
    type: 'object',
    description: 'A fault of one value of a request',
    properties: {
      pointer: {
        type: 'string',
        description: 'Place in the body or query: a JSON Pointer (RFC 6901) as a URI fragment',
      },
      detail: { type: 'string', description: 'The fault, for people; the text may change' },
      code: reasonSchemas.code,
      params: reasonSchemas.params,
      cause: reasonSchemas.cause,
    },
    required: ['pointer', 'detail'],
  },
  Reason: {
    type: 'object',
    description: 'Code and values of a text (docs/api/refusals.md)',
    properties: {
      code: reasonSchemas.code,
      params: reasonSchemas.params,
      cause: reasonSchemas.cause,
    },
    required: ['code'],
  },
  ServerError: {
    type: 'object',
    description: 'A failure of the server or of a provider',
    properties: {
      error,
      requestId,
    },
    required: ['error'],
  },
} as const

export type ErrorSchema = keyof typeof errorSchemas
