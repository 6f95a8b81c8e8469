import { say } from '@coffer/kit/reasons/reasons'
import { readJson } from '@coffer/kit/values/json'
import { createFaults, type Fault } from '@coffer/sync-kit/provider/fault-table'
import { z } from 'zod'
import type { PlaidMethod } from './call-limit.ts'
import { ErrorCode } from './plaid-answer.ts'

const repeated = 'Nothing: the sync is repeated.'
const update = 'Update the connection of the link: sign in at the institution again.'
const again = 'Connect the institution again as a new link.'
const operator = 'Ask the operator of the server to look at its log.'

/** Text of each fault, which `detail` completes, and advice for the user. */
const table = {
  'no-answer': [() => say('AGGREGATOR_SILENT'), repeated],
  upstream: [(detail) => say('AGGREGATOR_STATUS', { detail }), repeated],
  'too-large': [() => say('AGGREGATOR_ANSWER_LARGE'), operator],
  unreadable: [(detail) => say('AGGREGATOR_ANSWER', { detail }), repeated],
  refused: [(detail) => say('AGGREGATOR_REFUSED', { detail }), operator],
  'keys-refused': [(detail) => say('AGGREGATOR_KEYS', { detail }), operator],
  'rate-limited': [() => say('AGGREGATOR_LIMIT'), repeated],
  'institution-down': [
    (detail) => say('INSTITUTION_SILENT', { detail }),
    'Nothing: the sync is repeated when the institution answers again.',
  ],
  'login-required': [(detail) => say('INSTITUTION_ASKS', { detail }), update],
  revoked: [(detail) => say('ACCESS_REVOKED', { detail }), again],
  'item-gone': [(detail) => say('CONNECTION_UNKNOWN', { detail }), again],
  unsupported: [(detail) => say('INSTITUTION_UNSUPPORTED', { detail }), again],
  'no-transactions': [
    (detail) => say('TRANSACTIONS_MISSING', { detail }),
    'Nothing: balances are synced.',
  ],
  'not-ready': [
    () => say('TRANSACTIONS_NOT_READY'),
    'Nothing: the sync is repeated when they are ready.',
  ],
  mutated: [() => say('TRANSACTIONS_MOVED'), repeated],
  'cursor-refused': [
    () => say('POSITION_UNKNOWN'),
    'Nothing: the next sync reads all transactions again.',
  ],
  'rows-unreadable': [() => say('TRANSACTIONS_UNREADABLE'), 'Nothing: they are read again.'],
  internal: [() => say('SYNC_UNFINISHED'), 'Nothing: the sync is repeated within minutes.'],
} satisfies Record<string, [(detail: string) => string, string]>

const faults = createFaults(table, () => 500)

export const { FaultCode, describeFault, failureOf: plaidFailure, faultOf } = faults

/** Codes of faults; they never change. */
export type PlaidFaultCode = keyof typeof table

/** Reason why a call failed (docs/banks/aggregator.md#faults). */
export type PlaidFault = Fault<PlaidFaultCode>

/** Faults by the codes of Plaid's errors (docs/banks/aggregator.md#faults). */
const meanings: { [Meaning in PlaidFaultCode]?: string } = {
  upstream: 'INTERNAL_SERVER_ERROR PLANNED_MAINTENANCE',
  'institution-down': 'INSTITUTION_DOWN INSTITUTION_NOT_RESPONDING INSTITUTION_NOT_AVAILABLE',
  'login-required':
    'ITEM_LOGIN_REQUIRED INVALID_CREDENTIALS INVALID_MFA ITEM_LOCKED USER_SETUP_REQUIRED ' +
    'PASSWORD_RESET_REQUIRED ACCESS_NOT_GRANTED NO_ACCOUNTS ADDITIONAL_CONSENT_REQUIRED',
  revoked: 'USER_PERMISSION_REVOKED USER_ACCOUNT_REVOKED',
  'item-gone': 'ITEM_NOT_FOUND INVALID_ACCESS_TOKEN',
  unsupported: 'INSTITUTION_NO_LONGER_SUPPORTED ITEM_NOT_SUPPORTED',
  'no-transactions': 'PRODUCTS_NOT_SUPPORTED PRODUCT_UNAVAILABLE',
  'not-ready': 'PRODUCT_NOT_READY',
  mutated: 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION',
  'keys-refused': 'INVALID_API_KEYS UNAUTHORIZED_ENVIRONMENT',
}

const meaningByCode = new Map(
  Object.entries(meanings).flatMap(([meaning, codes]) =>
    codes.split(' ').map((code) => [code, meaning as PlaidFaultCode]),
  ),
)

/** Returns the fault for a code of Plaid's errors; `refused` for unknown codes. */
export function faultCodeOf(errorCode: string): PlaidFaultCode {
  return meaningByCode.get(errorCode) ?? 'refused'
}

/** Returns the status of a link after a fault of its item; null if the fault does not change it. */
export function linkStatusAfter(code: PlaidFaultCode): 'error' | 'revoked' | null {
  if (code === 'login-required' || code === 'unsupported') return 'error'
  return code === 'revoked' || code === 'item-gone' ? 'revoked' : null
}

const ErrorBody = z.object({
  error_type: z.string().catch(''),
  error_code: ErrorCode,
  error_message: z.string().catch(''),
})

const errorSizeMax = 64 * 1024

/**
 * Returns the fault of an answer, null for 200. Its detail is the code of Plaid's error or the HTTP
 * status: messages may quote the request, and so a token.
 */
export function faultOfAnswer(
  { status, body }: { status: number; body: Uint8Array },
  method: PlaidMethod,
): PlaidFault | null {
  if (status === 200) return null
  const error = body.length > errorSizeMax ? null : readJson(body, readError)
  const found = error === 'too-large' ? null : error
  const detail = found?.error_code ?? `status ${status}`
  // `retryAfterMs` is null, because Plaid does not state when calls are allowed again.
  return { code: codeOf(found, { status, method }), detail, retryAfterMs: null }
}

function readError(json: unknown): z.infer<typeof ErrorBody> | null {
  return ErrorBody.safeParse(json).data ?? null
}

function codeOf(
  error: z.infer<typeof ErrorBody> | null,
  { status, method }: { status: number; method: PlaidMethod },
): PlaidFaultCode {
  if (status === 429 || error?.error_type === 'RATE_LIMIT_EXCEEDED') return 'rate-limited'
  const known = error && meaningByCode.get(error.error_code)
  if (known) return known
  const isInvalid = error !== null && /^INVALID_(FIELD|INPUT)$/.test(error.error_code)
  const isAboutCursor = isInvalid && /cursor/i.test(error.error_message)
  if (method === 'transactionsSync' && isAboutCursor) return 'cursor-refused'
  if (status === 401 || status === 403) return 'keys-refused'
  return status >= 400 && status < 500 ? 'refused' : 'upstream'
}
