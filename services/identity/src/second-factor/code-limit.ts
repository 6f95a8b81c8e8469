import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'

/** Maximum codes of a login that are checked per window (docs/sign-in.md#wrong-codes). */
export const codesPerWindow = 5

/** Maximum failures in a row; then no code is checked until the second factor is unlocked. */
export const failuresMax = 100

/**
 * Backoff: lengths of windows in minutes. Every five failures in a row, the next length applies;
 * the last length applies from then on.
 */
export const windowMinutes = [15, 30, 60, 120, 240, 480, 960, 1440]

/**
 * Purpose of a code; failures are counted for each. `sign-in`: after the password, in a pending
 * session. `re-authentication`: in an open session, so that a stolen session cannot lock sign-in.
 */
export type CodePurpose = 'sign-in' | 're-authentication'

/** Counters after one more attempt. */
export interface CodeAttempts {
  /** Wrong codes in a row since the last valid one; includes this code until it proves valid. */
  failures: number
  /** Codes in the window, including this one, which is not checked above `codesPerWindow`. */
  attempts: number
  /** End of the window. */
  endsAt: Date
}

/**
 * Throws refused if the code must not be checked: 428 `MFA_LOCKED` after 100 failures in a row, 429
 * until the window ends.
 */
export function requireAdmitted({ failures, attempts, endsAt }: CodeAttempts, now: Date): void {
  if (attempts <= codesPerWindow) return
  if (failures >= failuresMax) {
    const text = say('MFA_LOCKED', { count: failuresMax })
    throw refused(text, { status: 428, code: 'MFA_LOCKED' })
  }
  const retryAfterSeconds = Math.ceil((endsAt.getTime() - now.getTime()) / 1000)
  const text = say('TOO_MANY_CODES')
  throw refused(text, { status: 429, retryAfterSeconds })
}

/** Returns the kind of mail that reports a wrong code; null if it did not reach a limit. */
export function noticeOf({
  failures,
  attempts,
}: CodeAttempts): 'wrong-codes' | 'second-factor-locked' | null {
  if (failures >= failuresMax) return 'second-factor-locked'
  return attempts === codesPerWindow ? 'wrong-codes' : null
}
