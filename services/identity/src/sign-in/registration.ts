import { say } from '@coffer/kit/reasons/reasons'
import type { Problems } from '@coffer/kit/rpc/errors'
import { dayMs } from '@coffer/kit/values/time'
import {
  collectProblems,
  findEmailProblem,
  findNameProblem,
  knownLocale,
  type Person,
} from '../book/login.ts'
import { findChosenPasswordProblem, findPasswordProblem } from './password.ts'
import { canonicalTimezone } from './timezone.ts'

export interface Credentials {
  email: string
  password: string
}

/** A person who gets a login, with the settings of the account; empty settings have defaults. */
export interface NewPerson {
  email: string
  firstName: string
  lastName: string
  timezone: string
  locale: string
}

export interface Registration extends NewPerson, Credentials {}

const unverifiedMs = 7 * dayMs

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
export async function findRegistrationProblems(
  registration: Registration,
  host: string,
): Promise<Problems | null> {
  const known = listGuessableTexts(registration, host)
  const password = await findChosenPasswordProblem(registration.password, known)
  return collectProblems({ ...personProblems(registration), password })
}

/**
 * Returns the problems of a person whom an operator creates, keyed by field; null if there are
 * none. Unlike at a registration, an unknown locale is a problem.
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
    firstName: firstName === '' ? say('FIRST_NAME_REQUIRED') : findNameProblem(firstName),
    lastName: findNameProblem(lastName),
    timezone: canonicalTimezone(timezone) === null ? say('TIMEZONE') : null,
  }
}

/** Returns texts that an attacker knows: the person's address and names, and the server's host. */
export function listGuessableTexts({ email, firstName, lastName }: Person, host: string): string[] {
  return [email, firstName, lastName, host]
}

/** Returns the problems of a password change, keyed by field; null if there are none. */
export async function findNewPasswordProblems(
  change: { currentPassword: string; newPassword: string },
  known: readonly string[],
): Promise<Problems | null> {
  const { currentPassword, newPassword } = change
  const isSame = newPassword === currentPassword
  const problem = isSame
    ? say('PASSWORD_SAME')
    : await findChosenPasswordProblem(newPassword, known)
  return collectProblems({ newPassword: problem })
}

/** Returns the instant, 7 days after `now`, from which an unverified account is deleted. */
export function verificationEnd(now: Date): Date {
  return new Date(now.getTime() + unverifiedMs)
}
