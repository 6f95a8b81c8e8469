import fc from 'fast-check'
import {
  cents,
  day,
  type Hostile,
  moreRows,
  objectOf,
  ofAnyKind,
  ok,
  rowsOf,
  text,
  usually,
  value,
  word,
} from './hostile-json.ts'

const isPending = fc.constantFrom('true', 'false')
const transactionId = text(fc.constantFrom(...'abcdefghijklmnop', null))

const transaction = objectOf({
  id: usually(transactionId),
  // Rows of another bank account are skipped: most rows state none.
  accountId: fc.oneof(
    { weight: 15, arbitrary: fc.constant('null') },
    { weight: 1, arbitrary: value },
  ),
  amount: usually(cents),
  currency: usually(fc.constant('"USD"')),
  date: usually(day),
  merchant: usually(word),
  description: usually(word),
  isPending: usually(isPending),
})

const account = objectOf({
  id: usually(fc.nat({ max: 99 }).map(String), text(fc.constantFrom('x', 'y.z', 'other:1'))),
  name: usually(word),
  institution_name: usually(word),
  provider: usually(word),
  currency: usually(text(fc.constantFrom('USD', 'EUR', 'JPY'))),
  status: usually(text(fc.constantFrom('ACTIVE', 'DISCONNECTED', 'ERROR'))),
})

const listOf = (name: string, row: fc.Arbitrary<string>): fc.Arbitrary<Hostile> =>
  fc.tuple(rowsOf(row), value).map(([rows, total]) => () => {
    return ok(`{"${name}":[${rows.join(',')}],"total":${total}}`)
  })

const postponing = fc.constant<Hostile>(() => {
  return { status: 429, body: '{}', headers: { 'retry-after': '7200' } }
})

const anyKind = ofAnyKind(['amount', 'id', 'currency', 'date', 'isPending', 'total', 'balance'])

/**
 * Hostile answers to the three calls. Every second list of accounts is right, because other calls
 * follow only if it has the bank accounts.
 */
export const hostileAnswers = {
  accounts: fc.oneof(
    { weight: 250, arbitrary: fc.constant(ok) },
    { weight: 100, arbitrary: moreRows('accounts', account) },
    { weight: 10, arbitrary: listOf('accounts', account) },
    { weight: 1, arbitrary: postponing },
    ...anyKind,
  ),
  balance: fc.oneof(
    { weight: 40, arbitrary: objectOf({ amount: usually(cents), currency: value }).map(inBalance) },
    { weight: 1, arbitrary: postponing },
    ...anyKind,
  ),
  transactions: fc.oneof(
    { weight: 60, arbitrary: moreRows('transactions', transaction) },
    { weight: 30, arbitrary: listOf('transactions', transaction) },
    { weight: 1, arbitrary: postponing },
    ...anyKind,
  ),
}

function inBalance(balance: string): Hostile {
  return () => ok(`{"balance":${balance}}`)
}
