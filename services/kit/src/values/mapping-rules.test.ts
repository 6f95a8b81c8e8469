import { describe, expect, test } from '@jest/globals'
import { problemsOfMapping } from './mapping-rules.ts'

const reference = 'must be one of the headers by name, or derivedKind rowNumber, and not both'

function mapping(changed: object = {}): object {
  return {
    headers: ['Id', 'Date', 'Text', 'Amount', 'Type'],
    id: { kind: 'native', fields: [{ name: 'Id' }] },
    amount: { kind: 'sign', invert: false, fields: [{ name: 'Amount' }] },
    memo: { name: 'Text' },
    date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
    balance: { kind: 'none', fields: [] },
    ...changed,
  }
}

const amountFields = [{ name: 'Amount' }, { name: 'Type' }]
const byType = { kind: 'type' as const, invert: false, fields: amountFields }

describe('a mapping is valid', () => {
  test.each<[string, object]>([
    ['as it is', {}],
    [
      'by the number of the row',
      { id: { kind: 'hashed', fields: [{ derivedKind: 'rowNumber' }] } },
    ],
    ['by type', { amount: { ...byType, credit: 'CR', debit: 'DR' } }],
    ['by type, in characters', { amount: { ...byType, credit: '👍'.repeat(100), debit: 'DR' } }],
    ['by column', { amount: { kind: 'column', invert: true, fields: amountFields } }],
    ['with a merchant', { merchant: { name: 'Text' } }],
    ['with a state', { posted: { fields: [{ name: 'Type' }], posted: '' } }],
    [
      'with a state in characters',
      { posted: { fields: [{ name: 'Type' }], posted: '👍'.repeat(100) } },
    ],
    ['with a sum', { balance: { kind: 'sum', fields: [] } }],
    ['with a balance', { balance: { kind: 'field', fields: [{ name: 'Amount' }] } }],
  ])('%s', (_what, changed) => {
    expect(problemsOfMapping(mapping(changed))).toBeNull()
  })
})

describe('a mapping is invalid', () => {
  const many = Array.from({ length: 21 }, (_, index) => `h${index}`)
  test.each<[string, object, object]>([
    ['no headers', { headers: [] }, { headers: 'must have 1 to 20 names' }],
    ['many headers', { headers: many }, { headers: 'must have 1 to 20 names' }],
    ['equal headers', { headers: ['Id', 'Id'] }, { headers: 'must be unique' }],
    [
      'a blank header',
      { headers: ['Id', ''] },
      { headers: 'must each have 1 to 100 printable characters' },
    ],
    [
      'a header with a tab',
      { headers: ['Id', 'a\tb'] },
      { headers: 'must each have 1 to 100 printable characters' },
    ],
    [
      'no identifier',
      { id: { kind: 'native', fields: [] } },
      { id: { fields: 'must have 1 to 20 fields' } },
    ],
    [
      'a field twice',
      { id: { kind: 'hashed', fields: [{ name: 'Id' }, { name: 'Id' }] } },
      { id: { fields: 'must be unique' } },
    ],
    ['an unknown column', { memo: { name: 'Nope' } }, { memo: reference }],
    ['no column', { memo: {} }, { memo: reference }],
    ['both', { merchant: { name: 'Id', derivedKind: 'rowNumber' } }, { merchant: reference }],
    ['another derivation', { memo: { derivedKind: 'today' } }, { memo: reference }],
    [
      'two amounts with a sign',
      { amount: { kind: 'sign', invert: false, fields: amountFields } },
      { amount: { fields: 'must have exactly 1 field' } },
    ],
    [
      'a type without its words',
      { amount: byType },
      {
        amount: {
          credit: 'must have 1 to 100 characters',
          debit: 'must have 1 to 100 characters',
        },
      },
    ],
    [
      'equal words',
      { amount: { ...byType, credit: 'X', debit: 'X' } },
      { amount: { debit: 'must differ from credit' } },
    ],
    [
      'words for columns',
      { amount: { ...byType, kind: 'column', credit: 'X', debit: 'Y' } },
      { amount: { credit: 'only goes with kind type', debit: 'only goes with kind type' } },
    ],
    [
      'two dates',
      { date: { fields: [{ name: 'Date' }, { name: 'Id' }], format: 'YYYY-MM-DD' } },
      { date: { fields: 'must have exactly 1 field' } },
    ],
    [
      'no format',
      { date: { fields: [{ name: 'Date' }], format: 'YYYY-MM' } },
      { date: { format: 'must name year, month and day once each, like YYYY-MM-DD or M/D/YY' } },
    ],
    [
      'a long state',
      { posted: { fields: [{ name: 'Type' }], posted: 'x'.repeat(101) } },
      { posted: { posted: 'must have at most 100 characters' } },
    ],
    [
      'a sum of a field',
      { balance: { kind: 'sum', fields: [{ name: 'Amount' }] } },
      { balance: { fields: 'must have exactly 0 fields' } },
    ],
    [
      'a balance without its field',
      { balance: { kind: 'field', fields: [] } },
      { balance: { fields: 'must have exactly 1 field' } },
    ],
  ])('with %s', (_what, changed, problems) => {
    expect(problemsOfMapping(mapping(changed))).toMatchObject(problems)
  })

  test('and problems name only the invalid fields', () => {
    const date = { fields: [{ name: 'Date' }], format: '' }
    expect(Object.keys(problemsOfMapping(mapping({ date, memo: {} })) ?? {})).toEqual([
      'memo',
      'date',
    ])
  })
})

describe('a mapping whose shape has faults', () => {
  test.each<[string, object, object | null]>([
    ['nothing', {}, null],
    ['a memo of a wrong type', { memo: 5 }, null],
    ['a memo without a part of the shape', { memo: {} }, { memo: reference }],
    ['an unknown column without headers', { memo: { name: 'Nope' } }, null],
    [
      'kinds with names of every object',
      {
        amount: { kind: '__proto__', fields: [{ name: 'Amount' }] },
        balance: { kind: 'constructor', fields: [] },
      },
      null,
    ],
    [
      'no kind, and three amounts',
      { amount: { fields: [...amountFields, { name: 'Id' }] } },
      { amount: { fields: 'must have 1 to 2 fields' } },
    ],
    [
      'a balance without its fields',
      { balance: { kind: 'field' } },
      { balance: { fields: 'must have exactly 1 field' } },
    ],
    [
      'a wrong format beside fields of a wrong type',
      { date: { fields: 5, format: 'YYYY' } },
      {
        date: { format: 'must name year, month and day once each, like YYYY-MM-DD or M/D/YY' },
      },
    ],
  ])('has the problems of its other parts: %s', (_name, parts, problems) => {
    expect(problemsOfMapping(parts)).toEqual(problems)
  })

  test.each([null, 5, 'text', []])('has none if it is %j', (sent) => {
    expect(problemsOfMapping(sent)).toBeNull()
  })
})
