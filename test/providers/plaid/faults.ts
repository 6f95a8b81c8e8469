import { anyFaults, changed, type Fault } from '../faults.ts'
import { type ErrorCode, errorBody, errorStatus } from './errors.ts'

/** Faults of Plaid's answers. */
export const plaidFaults = {
  ...anyFaults,
  /** An error of Plaid. Those of limits are 429 without `Retry-After`. */
  code: (code: ErrorCode, message?: string): Fault => ({
    kind: 'status',
    status: errorStatus(code),
    body: JSON.stringify(errorBody(code, message)),
  }),
  /** Amounts, days and IDs are lists. */
  wrongTypes: changed((body) =>
    body.replaceAll(/"(amount|date|transaction_id|account_id)":("[^"]*"|[^",}]+)/g, '"$1":[1]'),
  ),
  /** Answers without some of their fields. */
  without: (...fields: string[]) =>
    changed((body) =>
      JSON.stringify(JSON.parse(body, (key, value) => (fields.includes(key) ? undefined : value))),
    ),
}
