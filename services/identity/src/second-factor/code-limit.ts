import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'

/** Codes of a login that are checked in one window (docs/sign-in.md#wrong-codes). */
export const codesPerWindow = 5

/** Failures in a row after which no code is checked until the second factor is unlocked. */
export const failuresMax = 100

/**
 * Lengths of windows in minutes, in the order in which failures in a row use them: each after five
 * more, the last one from then on.
 */
export const windowMinutes = [15, 30, 60, 120, 240, 480, 960, 1440]

/**
 * Occasion of a code, counted apart. `sign-in`: after the password, in a pending session.
 * `re-authentication`: in an open session, so that a stolen one cannot lock sign-in.
 */
export type CodePurpose = 'sign-in' | 're-authentication'

/** Attempts after one more was counted. */
export interface CodeAttempts {
  /** Wrong codes in a row since the last right one, this one included until it is right. */
  failures: number
  /** Codes in the window, this one included; above `codesPerWindow` this one is not checked. */
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
