import { expect, test } from '@jest/globals'
import { createAnnounced } from './announced.ts'

test('what was said covers its bank account, for as long as given', () => {
  const announced = createAnnounced(1_000)
  announced.note('bac_1', 500)
  const covered = (bankAccountId: string, now: number) => announced.covers(bankAccountId, now)
  expect([covered('bac_1', 500), covered('bac_1', 1_499)]).toEqual([true, true])
  expect([covered('bac_1', 1_500), covered('bac_2', 500)]).toEqual([false, false])
})

test('it is said again once it is old, and others stay as they are', () => {
  const announced = createAnnounced(1_000)
  announced.note('bac_1', 0)
  announced.note('bac_2', 600)
  announced.note('bac_1', 1_200)
  const covered = ['bac_1', 'bac_2'].map((id) => announced.covers(id, 1_599))
  expect(covered).toEqual([true, true])
  announced.note('bac_3', 1_700)
  expect(['bac_1', 'bac_2', 'bac_3'].map((id) => announced.covers(id, 1_700))).toEqual([
    true,
    false,
    true,
  ])
})
