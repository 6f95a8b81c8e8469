import { expect, test } from '@jest/globals'
import { newestFirst, sameRows } from './same-rows.ts'

const offer = (uploadIdentifier: string, date: string, name: string) => ({
  uploadIdentifier,
  date,
  name,
  transactionDate: '2026-03-05T12:00:00Z',
  transactionName: 'Café  Luna’s #12',
})

test('rows of the same day and folded text are the same, and lists are newest first', () => {
  const offers = [
    offer('same', '2026-03-05T00:00:00Z', 'CAFE LUNAS 12'),
    offer('another text', '2026-03-05T00:00:00Z', 'Cafe Lunas'),
    offer('another day', '2026-03-06T00:00:00Z', 'Café Luna’s 12'),
  ]
  expect([...sameRows(offers, 'UTC')]).toEqual(['same'])
  expect(newestFirst(offers).map((one) => one.uploadIdentifier)).toEqual([
    'another day',
    'same',
    'another text',
  ])
})
