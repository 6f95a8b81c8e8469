import { say } from '@coffer/kit/reasons/reasons'
import { z } from 'zod'
import { filled, line, rule, string, typed } from './fields.ts'
import { emailShape } from './shapes.ts'

/** A password: trimmed, 8 to 72 Unicode characters (docs/sign-in.md#passwords). */
export const password = line({ min: 8, max: 72 })

/** A secret that identity has issued: TOTP code, recovery code, link token. */
export const code = line({ min: 1, max: 100 })

// Shared, because creating this schema takes longer than using it.
const emailForm = z.email()

/** A valid email address in lower case; upper case is refused. */
export const email = filled
  .refine((value) => value === value.toLowerCase(), rule(say('NOT_LOWER_CASE')))
  .refine((value) => value.length <= 254 && emailForm.safeParse(value).success, rule(say('EMAIL')))
  .meta(emailShape({ isLower: true }))

/** An email address in any case, converted to lower case. */
export const typedEmail = string
  .trim()
  .toLowerCase()
  .pipe(email)
  .meta(emailShape({ isLower: false }))

/** The nonce that solves a proof-of-work challenge. */
export const nonce = z
  .int({ error: typed(say('NOT_INTEGER')) })
  .refine((value) => value >= 0, rule(say('NEGATIVE')))
  .transform(BigInt)
  .meta({ minimum: 0 })
