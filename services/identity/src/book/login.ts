import { type Problems, refused } from '@coffer/kit/rpc/errors'
import { dayMs } from '@coffer/kit/values/time'
import { z } from 'zod'
import { findChosenPasswordProblem, findPasswordProblem } from '../sign-in/password.ts'
import { canonicalTimezone } from '../sign-in/timezone.ts'

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
  /** A new address, in lower case, until its mailed link is used; null if none waits. */
  pendingEmail: z.string().nullable(),
})

/** The fields of a login that name its person. */
export const Person = Login.pick({ email: true, firstName: true, lastName: true })
export type Person = z.infer<typeof Person>

export interface Credentials {
  email: string
  password: string
}

/** A person who gets a login, with the settings of the account; empty ones have defaults. */
export interface NewPerson {
  email: string
  firstName: string
  lastName: string
  timezone: string
  locale: string
}

export interface Registration extends NewPerson, Credentials {}

const nameCharactersMax = 300
const unverifiedMs = 7 * dayMs
const address = z.email().max(254)
const defaultLocale = 'en_US'

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Returns the problems of address and password, keyed by field; null if there are none. */
export function findCredentialProblems({ email, password }: Credentials): Problems | null {
  return collectProblems({
    email: findEmailProblem(email),
    password: findPasswordProblem(password),
  })
}

/**
 * Returns the problems of a registration, keyed by field; null if there are none. Words of the
 * server's name `host` are refused as a password.
 */
export function findRegistrationProblems(
  registration: Registration,
  host: string,
): Problems | null {
  const known = listGuessableTexts(registration, host)
  const password = findChosenPasswordProblem(registration.password, known)
  return collectProblems({ ...personProblems(registration), password })
}

/**
 * Returns the problems of a person whom an operator creates, keyed by field; null if there are
 * none. Unlike that of a registration, an unknown locale is a problem.
 */
export function findPersonProblems(person: NewPerson): Problems | null {
  const { locale } = person
  const isKnown = locale === '' || knownLocale(locale) === locale
  return collectProblems({
    ...personProblems(person),
    locale: isKnown ? null : 'must be a language and a country, such as de_DE',
  })
}

function personProblems({ email, firstName, lastName, timezone }: NewPerson) {
  return {
    email: findEmailProblem(email),
    firstName: firstName === '' ? 'first name is required' : findNameProblem(firstName),
    lastName: findNameProblem(lastName),
    timezone: canonicalTimezone(timezone) === null ? 'must be an IANA timezone' : null,
  }
}

/** Returns texts that an attacker knows: the person's address and names, and the server's host. */
export function listGuessableTexts({ email, firstName, lastName }: Person, host: string): string[] {
  return [email, firstName, lastName, host]
}

/** Returns the problems of a password change, keyed by field; null if there are none. */
export function findNewPasswordProblems(
  change: { currentPassword: string; newPassword: string },
  known: readonly string[],
): Problems | null {
  const { currentPassword, newPassword } = change
  const isSame = newPassword === currentPassword
  const problem = isSame
    ? 'must differ from the current password'
    : findChosenPasswordProblem(newPassword, known)
  return collectProblems({ newPassword: problem })
}

/** Returns the refusal (428) of an address that another login has, or of a blocked domain. */
export function emailInUse(): Error {
  return refused('this email address is in use', { code: 'EMAIL_IN_USE', status: 428 })
}

/** Returns the problem of an email address, or null. */
export function findEmailProblem(email: string): string | null {
  if (email !== email.toLowerCase()) return 'must be lower case'
  return address.safeParse(email).success ? null : 'must be a valid email address'
}

/** Returns the instant, 7 days after `now`, from which an unverified account is deleted. */
export function verificationEnd(now: Date): Date {
  return new Date(now.getTime() + unverifiedMs)
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
  if (/\p{Cc}/u.test(name)) return 'must be printable characters only'
  return [...name].length > nameCharactersMax
    ? `must be at most ${nameCharactersMax} characters`
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
