import type { Problems } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { canonicalTimezone } from '../accounts/timezone.ts'
import { findChosenPasswordProblem, findPasswordProblem } from './password.ts'

/** Somebody who signs in; may be a user of accounts. */
export const Login = z.object({
  loginId: z.string(),
  /** Lower case. */
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  /** Null without a second factor. */
  totpEnabledAt: z.date().nullable(),
  /** Null unless the password was ever set without the old one. */
  passwordResetAt: z.date().nullable(),
  /** Null until a mailed link proved that the address is its owner's. */
  emailVerifiedAt: z.date().nullable(),
})
export type Login = z.infer<typeof Login>

export interface Credentials {
  email: string
  password: string
}

export interface Registration extends Credentials {
  firstName: string
  lastName: string
  timezone: string
  locale: string
}

const nameCharactersMax = 300
const unverifiedMs = 7 * 24 * 60 * 60_000
const address = z.email().max(254)

/**
 * What is wrong with an email address and password, or null (spec/interface.md, POST login).
 * Lengths count characters, not bytes.
 */
export function findCredentialProblems({ email, password }: Credentials): Problems | null {
  return collectProblems({
    email: findEmailProblem(email),
    password: findPasswordProblem(password),
  })
}

/**
 * What is wrong with a registration at the server of that host, or null (spec/interface.md, POST
 * register).
 */
export function findRegistrationProblems(
  registration: Registration,
  host: string,
): Problems | null {
  const { password, firstName, lastName, timezone } = registration
  return collectProblems({
    ...findCredentialProblems(registration),
    password: findChosenPasswordProblem(password, listGuessableTexts(registration, host)),
    firstName: firstName === '' ? 'first name is required' : findNameProblem(firstName),
    lastName: findNameProblem(lastName),
    timezone: canonicalTimezone(timezone) === null ? 'must be an IANA timezone' : null,
  })
}

/** What whoever guesses a password may know: of whom it is, and of the server. */
export function listGuessableTexts(
  { email, firstName, lastName }: Pick<Login, 'email' | 'firstName' | 'lastName'>,
  host: string,
): string[] {
  return [email, firstName, lastName, host]
}

/** What is wrong with a new password beside the current one, or null (spec/identity.md 6.4). */
export function findNewPasswordProblems(change: {
  currentPassword: string
  newPassword: string
  /** As of findChosenPasswordProblem. */
  known: readonly string[]
}): Problems | null {
  const { currentPassword, newPassword, known } = change
  const isSame = newPassword === currentPassword
  const problem = isSame
    ? 'must differ from the current password'
    : findChosenPasswordProblem(newPassword, known)
  return collectProblems({ newPassword: problem })
}

/** What is wrong with an email address, or null. */
export function findEmailProblem(email: string): string | null {
  if (email !== email.toLowerCase()) return 'must be lower case'
  return address.safeParse(email).success ? null : 'must be a valid email address'
}

/** Until when the address of a new login is to be verified; its account is removed after that. */
export function verificationEnd(now: Date): Date {
  return new Date(now.getTime() + unverifiedMs)
}

/** The mailbox that an address leads to: subaddresses (RFC 5233) are left out. */
export function mailboxOf(email: string): string {
  return email.replace(/\+.*(?=@)/, '')
}

/** Whether nobody may register with an address of its domain (spec/identity.md 5.6). */
export function isBlocked(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase())
}

function findNameProblem(name: string): string | null {
  if (/\p{Cc}/u.test(name)) return 'must be printable characters only'
  return [...name].length > nameCharactersMax
    ? `must be at most ${nameCharactersMax} characters`
    : null
}

function collectProblems(
  problems: Record<string, string | Problems | null | undefined>,
): Problems | null {
  const found = Object.entries(problems).flatMap(([field, problem]) =>
    problem ? [[field, problem] as const] : [],
  )
  return found.length === 0 ? null : Object.fromEntries(found)
}
