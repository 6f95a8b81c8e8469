import { expect, test } from '@jest/globals'
import { createRecent } from './recent.ts'

test('a value is there for its key, for as long as given', () => {
  const recent = createRecent<true>(1_000)
  recent.set('bac_1', true, 500)
  const isThere = (key: string, now: number) => recent.get(key, now) ?? false
  expect([isThere('bac_1', 500), isThere('bac_1', 1_499)]).toEqual([true, true])
  expect([isThere('bac_1', 1_500), isThere('bac_2', 500)]).toEqual([false, false])
  recent.delete('bac_1')
  expect(isThere('bac_1', 500)).toBe(false)
})

test('it is there anew once it is set again, and others stay as they are', () => {
  const recent = createRecent<true>(1_000)
  const isThere = (key: string, now: number) => recent.get(key, now) ?? false
  recent.set('bac_1', true, 0)
  recent.set('bac_2', true, 600)
  recent.set('bac_1', true, 1_200)
  expect(['bac_1', 'bac_2'].map((key) => isThere(key, 1_599))).toEqual([true, true])
  recent.set('bac_3', true, 1_700)
  expect(['bac_1', 'bac_2', 'bac_3'].map((key) => isThere(key, 1_700))).toEqual([true, false, true])
})
