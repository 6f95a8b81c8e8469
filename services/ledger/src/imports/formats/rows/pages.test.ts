import { expect, test } from '@jest/globals'
import { Pages } from './pages.ts'

const itemOf = (index: number) => ({
  name: `Š ${index}`,
  amount: BigInt(index),
  at: new Date(index),
})

test.each([0, 1, 999, 1000, 1001, 3500])('a list of %d items has them in order', (count) => {
  const items = Array.from({ length: count }, (_, index) => itemOf(index))
  const list = Pages.from(items)
  const received = Pages.of(structuredClone(list.content()))
  for (const one of [list, received]) {
    expect([one.length, [...one]]).toEqual([count, items])
    expect([...one.lastPages()].toReversed()).toEqual([...one.pages()])
    expect([...one.pages()].every((page) => page.length <= 1000)).toBe(true)
  }
  list.push(itemOf(count))
  expect([...list].at(-1)).toEqual(itemOf(count))
})
