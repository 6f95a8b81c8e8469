import { newId } from '@coffer/kit/values/id'
import type { UserRow } from '../book/account.ts'
import { knownLocale } from '../book/login.ts'
import { trialEnd } from '../book/subscription.ts'
import type { NewPerson } from './registration.ts'
import { canonicalTimezone } from './timezone.ts'

/**
 * Returns the row of a new owner, with new IDs: its login, account and user. The account begins a
 * trial if `billed`; its timezone is UTC unless one is stated, its locale `en_US`.
 */
export function createOwner(
  wanted: NewPerson,
  { billed, trialDays }: { billed: boolean; trialDays: number },
  now: Date,
): UserRow {
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
    emailVerifiedAt: null,
    pendingEmail: null,
    pendingTimezone: null,
    timezone: canonicalTimezone(wanted.timezone) ?? 'UTC',
    locale: knownLocale(wanted.locale),
    version: 1n,
    createdAt: now,
    trialEndsAt: billed ? trialEnd(now, trialDays) : null,
    subscriptionActiveUntil: null,
    subscriptionStatus: null,
    subscriptionId: null,
  }
}
