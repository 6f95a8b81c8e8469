import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { signatureOf } from './csv-mapping.ts'

test('files with the same columns have one signature, in any order and case', () => {
  const signature = createHash('sha256').update('amount,date,id').digest('hex')
  expect(signatureOf(['Id', 'Date', 'Amount'])).toBe(signature)
  expect(signatureOf(['AMOUNT', 'id', 'DATE'])).toBe(signature)
  expect(signatureOf(['Id', 'Date'])).not.toBe(signature)
})
