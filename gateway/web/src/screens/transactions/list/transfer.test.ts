import { expect, test } from '@jest/globals'
import { isTransfer } from './transfer.ts'

test.each([
  [{ name: 'Umbuchung' }, true],
  [{ originalName: 'ÜBERTRAG 4711' }, true],
  [{ name: 'Transfer from savings' }, true],
  [{ name: 'From Holiday money' }, true],
  [{ name: 'ACME', category: 'TRANSFER_IN_ACCOUNT_TRANSFER' }, true],
  [{ name: 'Bank transfer ACME payroll' }, false],
  [{ name: 'Card refund', merchantName: 'Postcard' }, false],
  [{ name: 'Gehalt' }, false],
])('%j is a transfer: %s', (transaction, transfer) => {
  expect(isTransfer(transaction, ['Holiday money', 'Card'])).toBe(transfer)
})
