import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { LinkType } from './link.ts'
import { Money } from './money.ts'

export const AccountType = z.enum(values['BankAccount.accountType'])
export const AccountSubType = z.enum(values['BankAccount.accountSubType'])
export const AccountStatus = z.enum(values['BankAccount.status'])

/**
 * A bank account, the root of the aggregate of money; balances in minor units. `expenses` and
 * `goals` are the sums held by its open envelopes of each type, stored so that balances are read
 * from one row. `linkType` copies the type of the link, and changes together with it.
 * `balancesAsOf` is the instant for which a user or file stated balances, else null. `deletedAt`
 * means archived, `removedAt` that the link is deleted. Every save raises `version`.
 */
export const BankAccount = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  linkId: z.string(),
  linkType: LinkType,
  feedBankAccountId: z.string().nullable(),
  currency: z.string(),
  availableBalance: Money,
  currentBalance: Money,
  limitBalance: Money,
  expenses: Money,
  goals: Money,
  balancesAsOf: z.date().nullable(),
  mask: z.string().nullable(),
  name: z.string(),
  originalName: z.string(),
  accountType: AccountType,
  accountSubType: AccountSubType,
  status: AccountStatus,
  lastUpdated: z.date(),
  createdAt: z.date(),
  updatedAt: z.date(),
  deletedAt: z.date().nullable(),
  removedAt: z.date().nullable(),
  version: z.bigint(),
})
export type BankAccount = z.infer<typeof BankAccount>

/** The balances in API responses, in minor units of `currency`. */
export type Balances = {
  bankAccountId: string
  currency: string
  current: bigint
  available: bigint
  limit: bigint
  free: bigint
  expenses: bigint
  goals: bigint
  /** Whether `available` and `free` are unused credit instead of money. */
  isCredit: boolean
}

/** Returns the balances; free = available − expenses − goals (docs/money.md#balances). */
export function balancesOf(account: BankAccount): Balances {
  return {
    bankAccountId: account.bankAccountId,
    currency: account.currency,
    current: account.currentBalance,
    available: account.availableBalance,
    limit: account.limitBalance,
    free: account.availableBalance - account.expenses - account.goals,
    expenses: account.expenses,
    goals: account.goals,
    isCredit: isCredit(account),
  }
}

/** Returns whether the bank account is borrowed money: a card, a line of credit or a loan. */
export function isCredit({ accountType }: Pick<BankAccount, 'accountType'>): boolean {
  return accountType === 'credit' || accountType === 'loan'
}

/** Maps a balance in the journal (a pot) to the field of `BankAccount` that stores it. */
export const balanceFields = {
  available: 'availableBalance',
  current: 'currentBalance',
  limit: 'limitBalance',
} as const

/** Throws `refused` (400) if the bank account is archived, `notFound` if its link is deleted. */
export function requireWritable(account: BankAccount): void {
  if (account.removedAt !== null) throw notFound('bank account')
  if (account.deletedAt !== null) throw refused(say('BANK_ACCOUNT_ARCHIVED'))
}

/** Throws like `requireWritable`, and `refused` (400) unless the type of the link is manual. */
export function requireManual(account: BankAccount): void {
  requireWritable(account)
  if (account.linkType !== 'manual') throw refused(say('NOT_MANUAL'))
}
