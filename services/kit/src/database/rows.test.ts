import { expect, test } from '@jest/globals'
import { recordsOf } from './rows.ts'

test('entities are records by the names of their columns, amounts to the last unit', () => {
  const entities = [
    { spendingId: 'spnd_1', name: 'Tea "to go" \\ \u0007', amount: 2n ** 53n - 1n, isPaid: false },
    {
      openedAt: new Date('2026-01-02T03:04:05.006Z'),
      closedAt: null,
      tags: ['a', 'b'],
      raw: { b: 1 },
    },
    { payload: Buffer.from([0, 255]), lost: undefined },
    {},
  ]
  expect(recordsOf(entities)).toContain('"amount":9007199254740991,')
  expect(JSON.parse(recordsOf(entities))).toEqual([
    { spending_id: 'spnd_1', name: 'Tea "to go" \\ \u0007', amount: 2 ** 53 - 1, is_paid: false },
    { opened_at: '2026-01-02T03:04:05.006Z', tags: ['a', 'b'], raw: { b: 1 } },
    { payload: '\\x00ff' },
    {},
  ])
  expect(recordsOf([])).toBe('[]')
})
