import { currencies } from '@coffer/kit/values/currency'
import { parseMinorUnits } from '@coffer/kit/values/decimal'
import { toPrintable } from '@coffer/kit/values/printable'
import { values } from '@coffer/proto/values'
import { z } from 'zod'

// Schemas of the provider's answers (docs/banks/feed.md#calls). `readJson` returns numbers as
// texts, to keep decimals exact.

const text = z.string().nullish()

const Account = z.object({
  id: z.string().regex(/^(?!\.{1,2}$)[\w.:-]{1,200}$/),
  name: text,
  institution_name: text,
  provider: text,
  currency: text,
  status: z.enum(values['FeedBankAccount.feedStatus']).catch('ERROR'),
})

/** A bank account in the provider's list. */
export type OfferedAccount = z.infer<typeof Account>

/** A bank account in Coffer's terms; the balance is in minor units of the currency. */
export interface Discovery {
  /** ID of the bank account at the feed provider, in the provider's format. */
  feedId: string
  feedStatus: OfferedAccount['status']
  name: string
  institutionName: string
  provider: string
  currency: string
  currentBalance: bigint
}

const Balance = z.object({ balance: z.object({ amount: z.string(), currency: text }) })

/** A balance in the provider's answer: a decimal and an optional currency. */
export type StatedBalance = z.infer<typeof Balance>['balance']

const anyText = z.string().catch('')

const Transaction = z.object({
  /** Null unless the ledger can store it: 1 to 200 characters on one line. */
  id: z.string().refine(isId).nullable().catch(null),
  /** Decimal as in the answer; positive amounts enter the account. */
  amount: anyText,
  /** Null if it is the currency of the bank account. */
  currency: z.string().nullable().catch(null),
  date: anyText,
  merchant: anyText,
  description: anyText,
  isPending: z.boolean().catch(false),
})

/** A transaction in the provider's list; its texts are as in the answer, '' where missing. */
export type OfferedTransaction = z.infer<typeof Transaction>

/** Readable rows of a list; `isComplete` if no row of the provider is missing. */
export interface OfferedList<Row> {
  rows: Row[]
  isComplete: boolean
  /** Number of rows that are left out. */
  unreadable: number
}

const total = z.string().nullish().catch('unreadable')
const Accounts = z.object({ accounts: z.array(z.unknown()), total })
const Transactions = z.object({ transactions: z.array(z.unknown()), total })

/**
 * Returns the accounts of an answer that have an ID; null if the answer is no list of accounts.
 * Among accounts with an equal ID, the first one counts.
 */
export function readAccounts(answer: unknown): OfferedList<OfferedAccount> | null {
  const { data } = Accounts.safeParse(answer)
  if (!data) return null
  const list = listOf(data.accounts, data.total, (row) => Account.safeParse(row).data)
  const byId = Map.groupBy(list.rows, ({ id }) => id)
  return { ...list, rows: [...byId.values()].flatMap(([first]) => first ?? []) }
}

/** Returns the balance of an answer; null if the answer has none. */
export function readBalance(answer: unknown): StatedBalance | null {
  return Balance.safeParse(answer).data?.balance ?? null
}

/**
 * Returns the transactions of an answer; null if it is no list of transactions. Posted transactions
 * without an ID, and transactions of another bank account than `feedId`, are left out and make the
 * list incomplete. A transaction that an incomplete list lacks may still exist at the provider.
 */
export function readTransactions(
  answer: unknown,
  feedId?: string,
): OfferedList<OfferedTransaction> | null {
  const { data } = Transactions.safeParse(answer)
  if (!data) return null
  return listOf(data.transactions, data.total, (row) => {
    if (isOfAnother(row, feedId)) return undefined
    const one = Transaction.safeParse(row).data
    return one?.id === null && !one.isPending ? undefined : one
  })
}

/**
 * Returns the fields of a candidate, a bank account to offer to the user, from the provider's
 * answers (docs/banks/feed.md#refresh).
 */
export function readDiscovery(account: OfferedAccount, balance: StatedBalance | null): Discovery {
  const currency = [balance?.currency, account.currency].map(currencyIn).find(Boolean) ?? 'USD'
  return {
    feedId: account.id,
    feedStatus: account.status,
    name: printable(account.name) || account.id,
    institutionName: printable(account.institution_name),
    provider: printable(account.provider),
    currency,
    currentBalance: (balance && parseMinorUnits(balance.amount, currency)) ?? 0n,
  }
}

function listOf<Row>(
  sent: readonly unknown[],
  stated: string | null | undefined,
  read: (row: unknown) => Row | undefined,
): OfferedList<Row> {
  const rows = sent.flatMap((row) => read(row) ?? [])
  const isWhole = (stated ?? null) === null || Number(stated) === sent.length
  const unreadable = sent.length - rows.length
  return { rows, isComplete: isWhole && unreadable === 0, unreadable }
}

/** Returns whether a row names another bank account; servers may leave out the name. */
function isOfAnother(row: unknown, feedId: string | undefined): boolean {
  const { accountId } = Object(row)
  const isStated = typeof accountId === 'string' && accountId !== ''
  return feedId !== undefined && isStated && accountId !== feedId
}

/** Returns whether the ledger accepts an ID of the provider, which it stores unchanged. */
function isId(id: string): boolean {
  const line = id
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .trim()
    .toWellFormed()
  return id === line && id !== '' && id.length <= 200
}

function currencyIn(code: string | null | undefined): string | undefined {
  const known = (code ?? '').trim().toUpperCase()
  return currencies().includes(known) ? known : undefined
}

function printable(sent: string | null | undefined): string {
  return toPrintable(sent ?? '', { lengthMax: 300, instead: ' ' })
}
