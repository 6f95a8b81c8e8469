import { z } from 'zod'

/** Codes of the faults that end or delay a sync; they never change. */
export const FaultCode = z.enum([
  'no-answer',
  'key-refused',
  'rate-limited',
  'status',
  'unreadable',
  'too-large',
  'empty-list',
  'account-missing',
  'disconnected',
  'currency',
  'url-not-allowed',
  'private-address',
  'internal',
])
export type FaultCode = z.infer<typeof FaultCode>

/** Why a call of the feed provider, or a sync, gave no result. */
export interface FeedFault {
  code: FaultCode
  /** Particulars for the fault's text, such as a quote of the answer; never the API key. */
  detail: string
  /** Time in ms until the provider allows the next call; null if it states none. */
  retryAfterMs: number | null
}

/** The result of a call of the feed provider. */
export type Answered<T> = { value: T } | { fault: FeedFault }
