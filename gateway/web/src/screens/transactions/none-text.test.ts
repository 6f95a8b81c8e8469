import { expect, test } from '@jest/globals'
import type { Transaction } from '../../api/budget-queries.ts'
import { noneText } from './none-text.ts'

const known = { envelopes: [{ spendingId: 'rent', name: 'Rent' }], money: String }

test.each([
  [{}, 'It has not changed the balance or an envelope.'],
  [{ spendingId: 'rent', spendingAmount: 5 }, 'It took 5 from the envelope Rent.'],
  [{ spendingId: 'rent' }, 'which had no money for it, and has paid nothing. It has not moved'],
  [{ refundSpendingId: 'rent', refundAmount: 5 }, 'It put 5 back into the envelope Rent.'],
])('of a transaction with %j without own changes: "%s"', (transaction, text) => {
  expect(noneText(transaction as Transaction, known)).toContain(text)
})
