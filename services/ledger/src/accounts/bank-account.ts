import { notFound, refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { Money } from '../money/money.ts'
import { LinkType } from './link.ts'

export const AccountType = z.enum(['depository', 'credit', 'loan', 'investment', 'other'])
export const AccountSubType = z.enum([
  'checking',
  'savings',
  'hsa',
  'cd',
  'money market',
  'paypal',
  'prepaid',
  'cash management',
  'ebt',
  'credit card',
  'auto',
  'other',
])
export const AccountStatus = z.enum(['active', 'inactive', 'unknown'])

/**
 * A bank account; its row is the money lock of everything in it. `expenses` and `goals` are the
 * sums of `currentAmount` over its open envelopes of each kind, kept here so that a balance is one
 * row. `linkType` repeats the link's, which never changes. `balancesAsOf` is the instant that the
 * balances hold for, null while nobody has stated one. `deletedAt` means archived, `removedAt` that
 * the link was deleted. `version` rises with every change of the account or of anything under it.
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

/** A bank account, named with the account that it belongs to. */
export type BankAccountKey = Pick<BankAccount, 'accountId' | 'bankAccountId'>

/** What the available money is set aside for; minor units of `currency`. */
export type Balances = {
  bankAccountId: string
  currency: string
  current: bigint
  available: bigint
  limit: bigint
  free: bigint
  expenses: bigint
  goals: bigint
}

/** The balances object: free is available minus expenses minus goals (`spec/ledger.md` 3.1). */
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
  }
}

/** Refuses a write under an archived account (400); one of a deleted link is not there (404). */
export function requireWritable(account: BankAccount): void {
  if (account.removedAt !== null) {
    throw notFound('bank account')
  }
  if (account.deletedAt !== null) {
    throw refused('The bank account is archived')
  }
}

/** Refuses what only a manual link allows (`spec/ledger.md` 4.4, 4.6). */
export function requireManual(account: BankAccount): void {
  if (account.linkType !== 'manual') {
    throw refused('Only bank accounts of a manual link allow this')
  }
}

/** The archived account: inactive and stamped. Archiving twice is refused (`decisions.md`). */
export function archiveBankAccount(account: BankAccount, now: Date): BankAccount {
  requireWritable(account)
  if (account.linkType === 'aggregator') {
    throw refused('A bank account of this link cannot be archived: delete the link instead')
  }
  return { ...account, status: 'inactive', deletedAt: now, updatedAt: now }
}
