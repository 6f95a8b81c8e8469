import { randomBytes } from 'node:crypto'
import type { AccountBase, AccountType } from 'plaid'
import { decimal, type Plain } from './plain.ts'

/** A bank account in answers of Plaid. */
export type Account = Plain<AccountBase>

/** Balances as a script states them: decimal numbers as text, or null. */
export interface Balances {
  available: string | null
  current: string | null
  limit: string | null
  /** Code of ISO 4217. */
  currency: string | null
  /** Code of a currency outside of ISO 4217, such as BTC. */
  unofficialCurrency: string | null
}

/** A bank account as a script states it. */
export interface NewAccount {
  /** Generated if absent. */
  id?: string
  /** ID that stays when a renewed consent changes the other. Few banks have one. */
  persistentId?: string | null
  name?: string
  officialName?: string | null
  mask?: string | null
  type?: `${AccountType}`
  subtype?: Account['subtype']
  balances?: Partial<Balances>
}

/** Loans for which Plaid has transactions. */
const loansWithTransactions: readonly unknown[] = ['mortgage', 'student']

/** Returns a bank account; by default a checking account in USD. */
export function createAccount({ id = newId(), persistentId = null, ...more }: NewAccount): Account {
  const { name = 'Plaid Checking', officialName = 'Plaid Gold Standard 0% Checking' } = more
  const { mask = '0000', type = 'depository', subtype = 'checking', balances = {} } = more
  return {
    account_id: id,
    balances: balancesOf({
      available: '100.00',
      current: '110.00',
      limit: null,
      currency: 'USD',
      unofficialCurrency: null,
      ...balances,
    }),
    mask,
    name,
    official_name: officialName,
    type,
    subtype,
    ...(persistentId === null ? {} : { persistent_account_id: persistentId }),
  }
}

/** Returns balances in the form of Plaid. */
export function balancesOf(of: Balances): Account['balances'] {
  const amount = (text: string | null) => (text === null ? null : decimal(text))
  return {
    available: amount(of.available),
    current: amount(of.current),
    limit: amount(of.limit),
    iso_currency_code: of.currency,
    unofficial_currency_code: of.unofficialCurrency,
  }
}

/** Returns whether Plaid has transactions of a bank account. */
export function hasTransactions({ type, subtype }: Account): boolean {
  if (type === 'loan') return loansWithTransactions.includes(subtype)
  return type === 'depository' || type === 'credit'
}

/** Returns an ID in the form of Plaid: 37 letters and digits. */
export function newId(): string {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  return [...randomBytes(37)].map((byte) => letters[byte % letters.length]).join('')
}
