import fc from 'fast-check'
import { errorBody, errorCodes, errorStatus } from '../providers/plaid/errors.ts'
import {
  cents,
  day,
  type Hostile,
  jsonValue,
  moreRows,
  objectOf,
  ofAnyKind,
  ok,
  text,
  value,
  word,
} from './hostile-json.ts'

/** Takes the text of one field: usually a valid one, else another JSON value. */
const usually = (...valid: fc.Arbitrary<string>[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.oneof(...valid) }, { weight: 1, arbitrary: jsonValue })

const rowsOf = (row: fc.Arbitrary<string>) =>
  fc.array(fc.oneof({ weight: 8, arbitrary: row }, { weight: 1, arbitrary: jsonValue }), {
    maxLength: 20,
  })

/** IDs of the bank accounts of an item, as the tests create them. */
export const accountIds = ['checking', 'savings']

const accountId = text(fc.constantFrom(...accountIds, ...accountIds, 'unknown'))
const transactionId = text(fc.constantFrom(...'abcdefghijklmnop', null))
const currency = text(fc.constantFrom('USD', 'USD', 'USD', 'EUR', null))
const category = objectOf({ primary: word, detailed: usually(text(fc.constantFrom('INCOME'))) })

const transaction = objectOf({
  transaction_id: usually(transactionId),
  pending_transaction_id: usually(transactionId, fc.constant('null')),
  account_id: usually(accountId),
  amount: usually(cents),
  iso_currency_code: usually(currency),
  unofficial_currency_code: usually(fc.constant('null')),
  date: usually(day),
  authorized_date: usually(day),
  name: usually(word),
  merchant_name: usually(word),
  original_description: usually(word),
  pending: usually(fc.constantFrom('true', 'false')),
  category: usually(fc.constantFrom('null', '["Food"]', '["\\u0000",1,null]')),
  personal_finance_category: usually(category),
})

const balances = objectOf({
  available: usually(cents),
  current: usually(cents),
  limit: jsonValue,
  iso_currency_code: usually(currency),
  unofficial_currency_code: usually(fc.constantFrom('null', '"BTC"')),
})

const account = objectOf({
  account_id: usually(accountId),
  persistent_account_id: usually(text(fc.constantFrom('x', 'y'))),
  name: usually(word),
  official_name: usually(word),
  mask: usually(text(fc.constantFrom('0000', '1111'))),
  type: usually(text(fc.constantFrom('depository', 'credit', 'loan'))),
  subtype: usually(word),
  balances: usually(balances),
})

const removed = objectOf({ transaction_id: usually(transactionId), account_id: usually(accountId) })

const cursor = fc.oneof(
  { weight: 20, arbitrary: fc.nat().map((n) => `"cursor${n}"`) },
  { weight: 1, arbitrary: fc.constantFrom('""', '"\\u0000"', `"${'c'.repeat(5_000)}"`) },
)
const hasMore = usually(fc.constantFrom('true', 'true', 'true', 'false'))
const readiness = usually(
  fc.constantFrom('"HISTORICAL_UPDATE_COMPLETE"', '"INITIAL_UPDATE_COMPLETE"', '"constructor"'),
)

/** Other changes than those of the right page, with any end. */
const page = fc
  .tuple(rowsOf(transaction), rowsOf(transaction), rowsOf(removed), cursor, hasMore, readiness)
  .map(
    ([added, modified, gone, next, more, status]): Hostile =>
      () => {
        const lists = `"added":[${added}],"modified":[${modified}],"removed":[${gone}]`
        const end = `"next_cursor":${next},"has_more":${more}`
        return ok(`{${lists},${end},"transactions_update_status":${status}}`)
      },
  )

/** Other transactions than those of the right days, with any total. */
const days = fc.tuple(rowsOf(transaction), fc.oneof(fc.nat({ max: 40 }).map(String), value)).map(
  ([rows, total]): Hostile =>
    () => {
      return ok(`{"transactions":[${rows}],"total_transactions":${total}}`)
    },
)

// Not those of limits, after which a sync waits.
const errorsOfPlaid = errorCodes.filter((code) => !code.endsWith('LIMIT'))

/** An error of Plaid, also with another status. */
const failed = fc
  .tuple(fc.constantFrom(...errorsOfPlaid), fc.constantFrom(null, null, 401, 500), word)
  .map(
    ([code, status, message]): Hostile =>
      () => {
        const body = JSON.stringify(errorBody(code, `cursor ${message}`))
        return { status: status ?? errorStatus(code), body }
      },
  )

const keys = ['amount', 'account_id', 'transaction_id', 'date', 'iso_currency_code', 'pending']
const ofAny = [
  ...ofAnyKind([...keys, 'has_more', 'next_cursor', 'total_transactions', 'item', 'accounts']),
  { weight: 10, arbitrary: failed },
]

/** An end of the consent that no database holds. */
const consents = fc
  .constantFrom('0000-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00', '1969-07-20T20:17:40Z')
  .map(
    (end): Hostile =>
      (right) => {
        const key = '"consent_expiration_time":'
        return ok(right.replace(`${key}null`, `${key}"${end}"`))
      },
  )

/**
 * Hostile answers to the three calls of a sync. Most lists of accounts are right, because other
 * calls follow only if the item was read.
 */
export const hostileAnswers = {
  accounts: fc.oneof(
    { weight: 900, arbitrary: fc.constant(ok) },
    { weight: 60, arbitrary: moreRows('accounts', account) },
    { weight: 20, arbitrary: consents },
    ...ofAny,
  ),
  changes: fc.oneof(
    { weight: 80, arbitrary: moreRows('added', transaction) },
    { weight: 40, arbitrary: moreRows('modified', transaction) },
    { weight: 20, arbitrary: moreRows('removed', removed) },
    { weight: 900, arbitrary: page },
    ...ofAny,
  ),
  days: fc.oneof(
    { weight: 120, arbitrary: moreRows('transactions', transaction) },
    { weight: 120, arbitrary: days },
    ...ofAny,
  ),
}
