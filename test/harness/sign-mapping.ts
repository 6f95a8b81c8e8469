import type { CreateMappingData } from '@coffer/client/types'

/** Returns the body that maps the columns of `data/sign.csv`, given the headers of its import. */
export function signMapping(headers: string[]): CreateMappingData['body'] {
  return {
    mapping: {
      headers,
      id: { kind: 'native', fields: [{ name: 'Transaction ID' }] },
      amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
      memo: { name: 'Description' },
      merchant: { name: 'Merchant' },
      date: { fields: [{ name: 'Posting Date' }], format: 'MM/DD/YYYY' },
      balance: { kind: 'field', fields: [{ name: 'Balance' }] },
    },
  }
}
