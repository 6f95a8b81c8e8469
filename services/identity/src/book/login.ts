import { say } from '@coffer/kit/reasons/reasons'
import { type Problems, refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'

/** A person's email address, names and second factor; a user of one or more accounts. */
export const Login = z.object({
  loginId: z.string(),
  /** Address in lower case. */
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** Instant at which the authenticator was enabled; null without one. */
  totpEnabledAt: z.date().nullable(),
  /** Instant of the last password reset by a mailed link; null without one. */
  passwordResetAt: z.date().nullable(),
  /** Instant at which a mailed link verified the address; null before. */
  emailVerifiedAt: z.date().nullable(),
  /** A new address, in lower case, until its mailed link is used; null if none is pending. */
  pendingEmail: z.string().nullable(),
})

/** The fields of a login that name its person. */
export const Person = Login.pick({ email: true, firstName: true, lastName: true })
export type Person = z.infer<typeof Person>

const nameCharactersMax = 300
const address = z.email().max(254)
const defaultLocale = 'en_US'

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Returns the refusal (428) of an address that another login has, or of a blocked domain. */
export function emailInUse(): Error {
  return refused(say('EMAIL_IN_USE'), { code: 'EMAIL_IN_USE', status: 428 })
}

/** Returns the problem of an email address, or null. */
export function findEmailProblem(email: string): string | null {
  if (email !== email.toLowerCase()) return say('NOT_LOWER_CASE')
  return address.safeParse(email).success ? null : say('EMAIL')
}

/** Returns the address without its subaddress (RFC 5233), so that limits count per mailbox. */
export function mailboxOf(email: string): string {
  return email.replace(/\+.*(?=@)/, '')
}

/** Returns whether `domains` contains the domain of the address; subdomains do not match. */
export function isBlocked(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

/** Returns the text if it is a locale that Intl supports (`de_DE`, `de-DE`), otherwise `en_US`. */
export function knownLocale(text: string): string {
  const [, language = '', country = ''] = /^([a-z]{2,3})[_-]([A-Z]{2})$/.exec(text) ?? []
  if (country === '' || country === 'ZZ' || !countries.of(country)) return defaultLocale
  const [supported] = Intl.DateTimeFormat.supportedLocalesOf(`${language}-${country}`)
  return supported ? text : defaultLocale
}

/** Returns the problem of a name, or null; an empty name has no problem. */
export function findNameProblem(name: string): string | null {
  if (/\p{Cc}/u.test(name)) return say('NAME_NOT_PRINTABLE')
  return [...name].length > nameCharactersMax
    ? say('NAME_TOO_LONG', { max: nameCharactersMax })
    : null
}

/** Returns the problems that are not null, keyed by field; null if there are none. */
export function collectProblems(
  problems: Record<string, string | Problems | null | undefined>,
): Problems | null {
  const found = Object.entries(problems).flatMap(([field, problem]) =>
    problem ? [[field, problem] as const] : [],
  )
  return found.length === 0 ? null : Object.fromEntries(found)
}
