import { randomBytes } from 'node:crypto'
import { invalid, refused } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import type { SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { knownLocale } from './locale.ts'
import { type Registration, registrationProblems } from './login.ts'
import { insertRegistration } from './registration.sql.ts'
import { secretBytes } from './secret.ts'
import type { IdentityDeps } from './service.ts'
import { insertSession } from './session.sql.ts'
import { newSession } from './session.ts'
import { isPaidUp, type Subscription, trialEnd } from './subscription.ts'
import { canonicalTimezone } from './timezone.ts'
import { userMessage } from './user.rpc.ts'
import type { UserRow } from './user.ts'

/** Registration: a login, an account and its owner at once (spec/interface.md, POST register). */
export function registration({
  config,
  database,
  passwords,
  clock,
}: IdentityDeps): Pick<ServiceImpl<typeof SignInService>, 'register'> {
  return {
    register: async (request) => {
      if (!config.allowSignUp) throw refused('sign-up is not enabled', { status: 404 })
      const wanted = trimmed(request)
      const problems = registrationProblems(wanted)
      if (problems) throw invalid(problems)
      const passwordHash = await passwords.hash(wanted.password)
      const row = { ...ownerOf(wanted, clock()), ...firstPayment(config, clock()) }
      const origin = { bytes: randomBytes(secretBytes), sessionId: newId('sess'), isPending: false }
      const { token, session } = newSession(origin, row, row.createdAt)
      try {
        await database.transaction(async (tx) => {
          await insertRegistration(tx, row, { passwordHash, billed: config.billed })
          await insertSession(tx, session)
        })
      } catch (error) {
        throw isTaken(error) ? emailInUse() : error
      }
      const isActive = isPaidUp(row, row.createdAt, config)
      return { user: userMessage(row), sessionToken: token, isActive }
    },
  }
}

function trimmed(request: Registration): Registration {
  return {
    email: request.email.trim(),
    password: request.password.trim(),
    firstName: request.firstName.trim(),
    lastName: request.lastName.trim(),
    timezone: request.timezone.trim(),
    locale: request.locale.trim(),
  }
}

/** A trial where there is billing, and no subscription (spec/identity.md 7.1). */
function firstPayment(
  { billed, trialDays }: Pick<IdentityDeps['config'], 'billed' | 'trialDays'>,
  now: Date,
): Subscription {
  return {
    trialEndsAt: billed ? trialEnd(now, trialDays) : null,
    subscriptionActiveUntil: null,
    subscriptionStatus: null,
    subscriptionId: null,
  }
}

function ownerOf(wanted: Registration, now: Date): Omit<UserRow, keyof Subscription> {
  return {
    userId: newId('user'),
    loginId: newId('lgn'),
    accountId: newId('acct'),
    role: 'owner',
    email: wanted.email,
    firstName: wanted.firstName,
    lastName: wanted.lastName,
    totpEnabledAt: null,
    passwordResetAt: null,
    timezone: canonicalTimezone(wanted.timezone) ?? 'UTC',
    locale: knownLocale(wanted.locale),
    version: 1n,
    createdAt: now,
  }
}

function isTaken(error: unknown): boolean {
  return (
    error instanceof UniqueIntegrityConstraintViolationError &&
    error.constraint === 'logins_email_key'
  )
}

function emailInUse(): Error {
  return refused('this email address is in use', { code: 'EMAIL_IN_USE', status: 428 })
}
