import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { toMessage } from '@coffer/kit/rpc/message'
import { AccountSchema, LoginSchema, type User, UserSchema } from '@coffer/proto/identity/v1/user'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { Login } from './login.ts'
import { paidUntil, Subscription } from './subscription.ts'

/** The unit of tenancy: a person or household. Every other object belongs to one account. */
export const Account = z.object({
  accountId: z.string(),
  /** IANA name. The account's days begin at midnight in this timezone. */
  timezone: z.string(),
  locale: z.string(),
  /** Increased by every change of settings or subscription. */
  version: z.bigint(),
  createdAt: z.date(),
  ...Subscription.shape,
})
export type Account = z.infer<typeof Account>

/** A user (a login's part in an account), with the columns of its login and account. */
export const UserRow = z.object({
  userId: z.string(),
  role: z.enum(values['User.role']),
  ...Login.shape,
  ...Account.shape,
  /** The timezone of a running change of the account's timezone; null if none is running. */
  pendingTimezone: z.string().nullable(),
})
export type UserRow = z.infer<typeof UserRow>

/** Returns the settings that other services store; `subscriptionActiveUntil` only if `billed`. */
export function sharedSettings(account: Account, { billed }: { billed: boolean }) {
  const { timezone, locale, version } = account
  const settings = { timezone, locale, version }
  if (!billed) return settings
  return { ...settings, subscriptionActiveUntil: timestampFromDate(paidUntil(account)) }
}

/** Converts a row to the protobuf message of a user with its login and account. */
export function userMessage(row: UserRow): User {
  const isEmailVerified = row.emailVerifiedAt !== null
  const login = toMessage(LoginSchema, { ...row, isEmailVerified })
  const account = toMessage(AccountSchema, row)
  return toMessage(UserSchema, { ...row, login, account })
}
