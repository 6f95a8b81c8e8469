import { setting } from '@coffer/kit/config'
import { z } from 'zod'

/** The settings of identity. */
export const settings = {
  allowSignUp: setting(
    'COFFER_ALLOW_SIGN_UP',
    z.stringbool().default(false),
    'Whether anybody may register an account',
  ),
  signInLimitPerMinute: setting(
    'COFFER_SIGN_IN_LIMIT_PER_MINUTE',
    z.coerce.number().int().min(1).max(10_000).default(10),
    'Failed sign-ins per minute after which an email address is refused until the minute is over',
  ),
  sessionIdleDays: setting(
    'COFFER_SESSION_IDLE_DAYS',
    z.coerce.number().int().min(1).max(14).default(7),
    'Days without a request after which a session ends; every session ends after 14',
  ),
  passwordHashesAtOnce: setting(
    'COFFER_PASSWORD_HASHES_AT_ONCE',
    z.coerce.number().int().min(1).max(64).default(2),
    'Passwords hashed at the same time; each takes 19 MiB and some milliseconds of a core',
  ),
}
