import { z } from 'zod'
import { code, password } from '../http/fields/credentials.ts'

/**
 * Re-authentication before destructive or weakening actions: the current password or a TOTP code
 * (docs/sign-in.md#re-authentication).
 */
export const reAuthentication = z.union([
  z.strictObject({ currentPassword: password.describe('Password of the login') }),
  z.strictObject({ totp: code.describe('Code of the authenticator, or a recovery code') }),
])

/** Re-authentication that takes the password and a code where an authenticator is enabled. */
export const reAuthenticationByBoth = z.union([
  ...reAuthentication.options,
  z.strictObject({
    currentPassword: password.describe('Password of the login'),
    totp: code.describe('Code of the authenticator, or a recovery code'),
  }),
])

/** Re-authentication that may be left out in the first 15 minutes of a session. */
export const reAuthenticationIfDue = z.union([...reAuthentication.options, z.strictObject({})])

/** Appended to the descriptions of operations with re-authentication. */
export const reAuthenticationText =
  'The body repeats the password or has a code, exactly one; it may be missing while the session ' +
  'is at most 15 minutes old (docs/sign-in.md#re-authentication).'

/** Returns the field `proof` of identity's requests, or no field without re-authentication. */
export function reAuthenticationMessage(body: z.output<typeof reAuthenticationIfDue>) {
  if ('totp' in body) return { proof: { kind: { case: 'totp' as const, value: body.totp } } }
  return 'currentPassword' in body
    ? { proof: { kind: { case: 'currentPassword' as const, value: body.currentPassword } } }
    : {}
}
