import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import { currencies } from '@coffer/kit/values/currency'
import type { z } from 'zod'
import {
  AccountStatus,
  AccountSubType,
  AccountType,
  type BankAccount,
  requireWritable,
} from '../book/bank-account.ts'
import type { Link } from '../book/link.ts'
import {
  endOperation,
  type Operation,
  type Settlement,
  setBalances,
  startOperation,
} from '../money/operation.ts'

/** Request body for a new bank account. Balances in minor units; null gets the field's default. */
export type NewBankAccount = Pick<BankAccount, 'bankAccountId' | 'name' | 'currency'> & {
  [Field in TextField]?: string | null | undefined
} & {
  [Field in 'availableBalance' | 'currentBalance' | 'limitBalance']?: bigint | null | undefined
} & { balancesAsOf?: Date | undefined }
type TextField =
  | 'accountType'
  | 'accountSubType'
  | 'status'
  | 'originalName'
  | 'mask'
  | 'feedBankAccountId'

/**
 * Returns the rows of a new bank account. Its balances are valid for the instant `balancesAsOf`, at
 * most now; null if the client states no instant. Throws `invalid` (400), which names the wrong
 * field.
 */
export function createBankAccount(
  { link, operation }: { link: Link; operation: Operation },
  body: NewBankAccount,
): Settlement {
  const { feedBankAccountId = null, mask = null } = body
  requireCandidate(link, feedBankAccountId)
  requireMask(mask)
  const { now } = operation
  const { balancesAsOf: stated } = body
  const asOf = stated && stated > now ? now : stated
  const bankAccount: BankAccount = {
    accountId: link.accountId,
    bankAccountId: body.bankAccountId,
    linkId: link.linkId,
    linkType: link.linkType,
    feedBankAccountId,
    currency: requireCurrency(body.currency),
    availableBalance: 0n,
    currentBalance: 0n,
    limitBalance: 0n,
    expenses: 0n,
    goals: 0n,
    balancesAsOf: asOf ?? null,
    mask,
    name: body.name,
    originalName: body.originalName ?? '',
    accountType: oneOf(AccountType, { accountType: body.accountType ?? 'depository' }),
    accountSubType: oneOf(AccountSubType, { accountSubType: body.accountSubType ?? 'checking' }),
    status: oneOf(AccountStatus, { status: body.status ?? 'active' }),
    lastUpdated: now,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
    removedAt: null,
    version: operation.version,
  }
  const started = startOperation({ bankAccount, envelopes: [], operation })
  const to = {
    available: body.availableBalance ?? 0n,
    current: body.currentBalance ?? 0n,
    limit: requireLimit(body.limitBalance ?? 0n),
  }
  setBalances(started, { to, cause: 'opening', causeId: body.bankAccountId, date: asOf })
  return endOperation(started)
}

/** The fields that a PATCH of a bank account contains; null if the client sent null. */
export type BankAccountPatch = Partial<
  Pick<BankAccount, 'name' | 'mask' | 'currency' | 'availableBalance' | 'currentBalance'> &
    Record<'accountType' | 'accountSubType', string> &
    Record<'limitBalance', bigint | null> &
    Record<'feedBankAccountId', string | null>
>

const FEED_KEYS = ['name', 'mask', 'currency', 'feedBankAccountId']

/**
 * Returns the rows to save for a PATCH (docs/links.md#bank-accounts lists the allowed fields). A
 * null limit is stored as 0. New balances are valid from the instant of the request.
 */
export function changeBankAccount(
  { bankAccount, operation }: { bankAccount: BankAccount; operation: Operation },
  patch: BankAccountPatch,
): Settlement {
  requireWritable(bankAccount)
  refuseForeignKeys(bankAccount, patch)
  const { now } = operation
  const { mask, accountType, accountSubType, feedBankAccountId } = patch
  requireMask(mask ?? null)
  const started = startOperation({ bankAccount, envelopes: [], operation })
  const changed = started.bankAccount
  changed.name = patch.name ?? changed.name
  if (feedBankAccountId !== undefined) {
    requireCandidate(bankAccount, feedBankAccountId)
    changed.feedBankAccountId = feedBankAccountId
  }
  changed.mask = mask === undefined ? changed.mask : mask
  changed.currency =
    patch.currency === undefined ? changed.currency : requireCurrency(patch.currency)
  changed.accountType = oneOf(AccountType, { accountType: accountType ?? changed.accountType })
  changed.accountSubType = oneOf(AccountSubType, {
    accountSubType: accountSubType ?? changed.accountSubType,
  })
  changed.updatedAt = now
  const { availableBalance: available, currentBalance: current, limitBalance } = patch
  const limit = limitBalance === undefined ? undefined : requireLimit(limitBalance ?? 0n)
  if ([available, current, limit].some((balance) => balance !== undefined)) {
    const to = { available, current, limit }
    setBalances(started, { to, cause: 'manual-edit', causeId: bankAccount.bankAccountId })
    changed.balancesAsOf = now
  }
  return endOperation(started)
}

/** Archives a bank account; throws like `requireWritable`, and `refused` on an aggregator link. */
export function archiveBankAccount(account: BankAccount, now: Date): BankAccount {
  requireWritable(account)
  if (account.linkType === 'aggregator') {
    throw refused(say('NOT_ARCHIVABLE'))
  }
  return { ...account, status: 'inactive', deletedAt: now, updatedAt: now }
}

/** Returns an archived bank account restored; returns a live bank account unchanged. */
export function restoreBankAccount(account: BankAccount, now: Date): BankAccount {
  if (account.deletedAt === null) return account
  return { ...account, status: 'active', deletedAt: null, updatedAt: now }
}

/** Throws `refused` if the link is deleted, `invalid` if it is neither manual nor of type feed. */
export function requireOwnLink(link: Link): void {
  if (link.deletedAt !== null) throw refused(say('LINK_GONE'))
  if (link.linkType !== 'manual' && link.linkType !== 'feed') {
    throw invalid({ linkId: say('LINK_KIND') })
  }
}

function requireCandidate(link: Pick<Link, 'linkType'>, feedBankAccountId: string | null): void {
  if (link.linkType === 'feed' && feedBankAccountId === null) {
    throw invalid({ feedBankAccountId: say('FEED_ACCOUNT_REQUIRED') })
  }
  if (link.linkType !== 'feed' && feedBankAccountId !== null) {
    throw invalid({ feedBankAccountId: say('FEED_ACCOUNT_UNEXPECTED') })
  }
}

function refuseForeignKeys(bankAccount: BankAccount, patch: BankAccountPatch): void {
  const { linkType } = bankAccount
  const allowed = linkType === 'feed' ? FEED_KEYS : ['name']
  const isAllowed = (key: string) =>
    linkType === 'manual' ? key !== 'feedBankAccountId' : allowed.includes(key)
  const others = Object.entries(patch).filter(
    ([key, value]) => value !== undefined && !isAllowed(key),
  )
  if (others.length > 0) {
    throw invalid(Object.fromEntries(others.map(([key]) => [key, say('KEY_UNKNOWN')])))
  }
}

function requireLimit(limitBalance: bigint): bigint {
  if (limitBalance < 0n) throw invalid({ limitBalance: say('NEGATIVE') })
  return limitBalance
}

function requireMask(mask: string | null): void {
  if (mask !== null && [...mask].length !== 4) {
    throw invalid({ mask: say('MASK_SIZE') })
  }
}

function requireCurrency(currency: string): string {
  if (!currencies().includes(currency)) {
    throw invalid({ currency: say('CURRENCY_UNKNOWN') })
  }
  return currency
}

function oneOf<T extends string>(values: z.ZodType<T>, field: Record<string, string>): T {
  const [[key, value] = ['', '']] = Object.entries(field)
  const parsed = values.safeParse(value)
  if (!parsed.success) throw invalid({ [key]: say('VALUE_UNKNOWN') })
  return parsed.data
}
