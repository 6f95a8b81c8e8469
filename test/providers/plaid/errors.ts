import { randomUUID } from 'node:crypto'
import type { PlaidError, PlaidErrorType } from 'plaid'
import type { Plain } from './plain.ts'

interface Known {
  type: `${PlaidErrorType}`
  /** Status of HTTP, by default 400. */
  status?: number
  message: string
}

const itemLimit = 'rate limit exceeded for attempts to access this item. please try again later'
const login =
  'the login details of this item have changed (credentials, MFA, or required user action) and a ' +
  "user login is required to update this information. use Link's update mode to restore the item " +
  'to a good state'

/** Errors of Plaid by code, as https://plaid.com/docs/errors states them. */
const known = {
  ACCESS_NOT_GRANTED: item('access to this product was not granted for the account'),
  ADDITIONAL_CONSENT_REQUIRED: input('additional consent is required for the requested product'),
  INSTITUTION_DOWN: institution('this institution is not currently responding to this request'),
  INSTITUTION_NOT_AVAILABLE: institution('this institution is currently not available'),
  INSTITUTION_NOT_RESPONDING: institution('this institution is not currently responding'),
  INSTITUTION_NO_LONGER_SUPPORTED: institution('this institution is no longer supported'),
  INTERNAL_SERVER_ERROR: {
    type: 'API_ERROR',
    status: 500,
    message: 'an unexpected error occurred',
  },
  INVALID_ACCESS_TOKEN: input('could not find matching access token'),
  INVALID_ACCOUNT_ID: input('failed to find requested account ID for requested item'),
  INVALID_API_KEYS: input('invalid client_id or secret provided'),
  INVALID_BODY: request('body could not be parsed as JSON'),
  INVALID_CREDENTIALS: item('the provided credentials were not correct'),
  INVALID_FIELD: request('a field is invalid'),
  INVALID_INSTITUTION: input('invalid institution_id provided'),
  INVALID_PRODUCT: input(
    'client is not authorized to access the following products: ["transactions_refresh"]',
  ),
  INVALID_PUBLIC_TOKEN: input('could not find matching public token'),
  INVALID_WEBHOOK_VERIFICATION_KEY_ID: input('invalid key_id provided'),
  ITEM_LOCKED: item('this item is locked'),
  ITEM_LOGIN_REQUIRED: item(login),
  ITEM_NOT_FOUND: item('The Item you requested cannot be found.'),
  ITEM_NOT_SUPPORTED: item('this account is currently not supported'),
  MISSING_FIELDS: request('required fields are missing'),
  NOT_FOUND: { type: 'INVALID_REQUEST', status: 404, message: 'not found' },
  NO_ACCOUNTS: item('no valid accounts were found for this item'),
  PLANNED_MAINTENANCE: {
    type: 'API_ERROR',
    status: 503,
    message: 'the Plaid API is temporarily unavailable due to planned maintenance',
  },
  PRODUCTS_NOT_SUPPORTED: item('the following products are not supported: ["transactions"]'),
  PRODUCT_NOT_READY: item('the requested product is not yet ready'),
  ACCOUNTS_LIMIT: limit(itemLimit),
  INSTITUTIONS_GET_BY_ID_LIMIT: limit('rate limit exceeded. please try again later'),
  RATE_LIMIT: limit('rate limit exceeded. please try again later'),
  TRANSACTIONS_LIMIT: limit(itemLimit),
  TRANSACTIONS_SYNC_LIMIT: limit(itemLimit),
  TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION: {
    type: 'TRANSACTIONS_ERROR',
    message:
      'Underlying transaction data changed since last page was fetched. Please restart ' +
      'pagination from last update.',
  },
  UNAUTHORIZED_ENVIRONMENT: input('you are not authorized to use this api environment'),
  UNKNOWN_FIELDS: request('fields are not recognized by this endpoint'),
  USER_PERMISSION_REVOKED: item(
    'the holder of this account has revoked their permission for your application to access it',
  ),
  USER_SETUP_REQUIRED: item('the account has not been fully set up'),
} satisfies Record<string, Known>

/** Code of an error that the simulated Plaid can answer. */
export type ErrorCode = keyof typeof known

/** Every code of an error. */
export const errorCodes = Object.keys(known) as ErrorCode[]

/** The request is refused with an error of Plaid. */
export class PlaidRefusal extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message = known[code].message) {
    super(message)
    this.code = code
  }
}

/** Returns the body of an error as answers and items have it. */
export function errorBody(code: ErrorCode, message = known[code].message): Plain<PlaidError> {
  return {
    error_type: known[code].type,
    error_code: code,
    error_message: message,
    display_message: null,
    documentation_url: `https://plaid.com/docs/?ref=error#${code}`,
    suggested_action: null,
    request_id: newRequestId(),
  }
}

/** Returns the status of HTTP of an error. */
export function errorStatus(code: ErrorCode): number {
  const { status = 400 }: Known = known[code]
  return status
}

/** Returns an ID such as Plaid gives to each request. */
export function newRequestId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 15)
}

function item(message: string): Known {
  return { type: 'ITEM_ERROR', message }
}

function input(message: string): Known {
  return { type: 'INVALID_INPUT', message }
}

function request(message: string): Known {
  return { type: 'INVALID_REQUEST', message }
}

function institution(message: string): Known {
  return { type: 'INSTITUTION_ERROR', message }
}

function limit(message: string): Known {
  return { type: 'RATE_LIMIT_EXCEEDED', status: 429, message }
}
