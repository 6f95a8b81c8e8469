import { type Account, type Balances, balancesOf, hasTransactions, newId } from './account.ts'
import type { ChangeLog, Row } from './change-log.ts'
import { decimal } from './plain.ts'

/** A purchase, deposit or transfer at the bank, as a script states it. */
export interface Purchase {
  /** ID at Plaid; generated if absent. */
  id?: string
  /** Day as YYYY-MM-DD. */
  date: string
  authorizedDate?: string | null
  /** Decimal number; positive means money out, as Plaid has it. */
  amount: string
  /** Code of ISO 4217, by default that of the bank account. */
  currency?: string | null
  unofficialCurrency?: string | null
  name?: string
  merchant?: string | null
  /** Raw description of the bank; Plaid sends it only on request. */
  description?: string | null
  /** Detailed category of Plaid. */
  category?: string | null
  /** Former categories, which Plaid no longer gives to new customers. */
  categories?: string[] | null
  /** ID of the pending transaction that this one replaces. */
  pendingId?: string | null
}

/** The transactions of one bank account at the bank. Scripts change them; each has an ID. */
export interface PlaidBank {
  /** Adds a posted transaction. Returns its ID. */
  post: (one: Purchase) => string
  /** Adds a pending transaction. Returns its ID. */
  pend: (one: Purchase) => string
  /**
   * Posts a pending transaction: removes it and adds one with another ID, which names it. For two
   * reads, call `remove` and `post` with `pendingId`, in any order. Returns the new ID.
   */
  settle: (id: string, how?: Partial<Purchase>) => string
  /** Changes a transaction in place. */
  change: (id: string, to: Partial<Purchase>) => void
  remove: (id: string) => void
  /** Leaves an unread transaction out until the changes were read to their end so often. */
  delay: (id: string, reads: number) => void
  /** Sets balances, which are independent of the transactions. */
  setBalances: (to: Partial<Balances>) => void
  /** Returns the transactions that Plaid has now. */
  listed: () => Row[]
}

/** Creates the script of a bank account. `account` returns it as it is now. */
export function createBank(account: () => Account, log: ChangeLog): PlaidBank {
  const add = (one: Purchase, isPending: boolean): string => {
    if (!hasTransactions(account())) {
      throw new Error(`Plaid has no transactions of ${account().type} accounts`)
    }
    const row = rowOf({ name: 'Corner Shop', ...one }, account(), isPending)
    log.add(row)
    return row.transaction_id
  }
  return {
    post: (one) => add(one, false),
    pend: (one) => add(one, true),
    settle: (id, how = {}) => {
      const row = log.get(id)
      if (!row.pending) throw new Error(`the transaction ${id} is posted already`)
      log.remove(id)
      const settled = { ...row, transaction_id: how.id ?? newId(), pending: false }
      log.add({ ...settled, pending_transaction_id: id, ...fieldsOf(how) })
      return settled.transaction_id
    },
    change: (id, to) => log.change(id, fieldsOf(to)),
    remove: (id) => log.remove(id),
    delay: (id, reads) => log.delay(id, reads),
    setBalances: (to) => {
      const { balances } = account()
      const { iso_currency_code: currency, unofficial_currency_code: unofficialCurrency } = balances
      const none = { available: null, current: null, limit: null }
      const set = balancesOf({ ...none, currency, unofficialCurrency: unofficialCurrency, ...to })
      if (!('available' in to)) set.available = balances.available
      if (!('current' in to)) set.current = balances.current
      if (!('limit' in to)) set.limit = balances.limit
      account().balances = set
    },
    listed: () => log.live().filter((row) => row.account_id === account().account_id),
  }
}

function rowOf(one: Purchase, account: Account, isPending: boolean): Row {
  const { iso_currency_code, unofficial_currency_code } = account.balances
  return {
    account_id: account.account_id,
    account_owner: null,
    amount: 0,
    authorized_date: one.date,
    authorized_datetime: null,
    category: null,
    category_id: null,
    check_number: null,
    counterparties: [],
    date: one.date,
    datetime: null,
    iso_currency_code,
    location: nowhere,
    logo_url: null,
    merchant_entity_id: null,
    merchant_name: null,
    name: '',
    original_description: null,
    payment_channel: 'in store',
    payment_meta: noPayment,
    pending: isPending,
    pending_transaction_id: null,
    personal_finance_category: {
      primary: 'GENERAL_MERCHANDISE',
      detailed: 'GENERAL_MERCHANDISE_OTHER_GENERAL_MERCHANDISE',
      confidence_level: 'LOW',
      version: 'v2',
    },
    transaction_code: null,
    transaction_id: one.id ?? newId(),
    unofficial_currency_code,
    website: null,
    ...fieldsOf(one),
  }
}

/** Returns the fields of a transaction that a script states. */
function fieldsOf(one: Partial<Purchase>): Partial<Row> {
  const { category } = one
  const primary = primaries.find((each) => category?.startsWith(each)) ?? 'OTHER'
  const stated: [keyof Row, unknown][] = [
    ['date', one.date],
    ['authorized_date', one.authorizedDate],
    ['amount', one.amount === undefined ? undefined : decimal(one.amount)],
    ['iso_currency_code', one.currency],
    ['unofficial_currency_code', one.unofficialCurrency],
    ['name', one.name],
    ['merchant_name', one.merchant],
    ['original_description', one.description],
    ['category', one.categories],
    ['pending_transaction_id', one.pendingId],
    ['personal_finance_category', category ? { primary, detailed: category } : category],
  ]
  return Object.fromEntries(stated.filter(([, value]) => value !== undefined))
}

/** Primary categories; the detailed ones begin with them. */
const primaries = [
  'BANK_FEES',
  'ENTERTAINMENT',
  'FOOD_AND_DRINK',
  'GENERAL_MERCHANDISE',
  'GENERAL_SERVICES',
  'GOVERNMENT_AND_NON_PROFIT',
  'HOME_IMPROVEMENT',
  'INCOME',
  'LOAN_PAYMENTS',
  'MEDICAL',
  'PERSONAL_CARE',
  'RENT_AND_UTILITIES',
  'TRANSFER_IN',
  'TRANSFER_OUT',
  'TRANSPORTATION',
  'TRAVEL',
]

const nowhere: Row['location'] = {
  address: null,
  city: null,
  country: null,
  lat: null,
  lon: null,
  postal_code: null,
  region: null,
  store_number: null,
}

const noPayment: Row['payment_meta'] = {
  by_order_of: null,
  payee: null,
  payer: null,
  payment_method: null,
  payment_processor: null,
  ppd_id: null,
  reason: null,
  reference_number: null,
}
