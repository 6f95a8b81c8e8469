import { expect, test } from '@jest/globals'
import { Pages } from './pages.ts'

const itemOf = (index: number) => ({
  name: `Š ${index}`,
  amount: BigInt(index),
  at: new Date(index),
})

test.each([0, 1, 249, 250, 251, 900])('a list of %d items has them in order', (count) => {
  const items = Array.from({ length: count }, (_, index) => itemOf(index))
  const list = Pages.from(items)
  const received = Pages.of(structuredClone(list.content()))
  for (const one of [list, received]) {
    expect([one.length, [...one]]).toEqual([count, items])
    expect([...one.lastPages()].toReversed()).toEqual([...one.pages()])
    expect([...one.pages()].every((page) => page.length <= 250)).toBe(true)
  }
  list.push(itemOf(count))
  expect([...list].at(-1)).toEqual(itemOf(count))
})

test('items may have any text and key, bigints, dates and maps', () => {
  const texts = ['\u0001n1', '\u0001', '\ud800', 'é', '']
  const odd = Object.fromEntries([
    ['__proto__', texts],
    ['\u0001n', { at: new Date(-1), none: null }],
    ['map', new Map([['a', [{ children: new Map(), is: true }]]])],
    ['list', [[-1n, 0n, 2n ** 80n], 1.5]],
  ])
  expect([...Pages.of(Pages.from([odd, texts]).content())]).toEqual([odd, texts])
})

test('parts of a list have their own items, in runs that alternate', () => {
  const list = new Pages<ReturnType<typeof itemOf>>(7)
  const parts = [list.part(), list.part(), list.part()]
  const expected: ReturnType<typeof itemOf>[][] = [[], [], []]
  for (let index = 0; index < 50; index += 1) {
    const part = index % 10 < 4 ? 0 : index % 3
    parts[part]?.push(itemOf(index))
    expected[part]?.push(itemOf(index))
  }
  expect(parts.map((one) => [...one])).toEqual(expected)
  expect(parts.map((one) => one.length)).toEqual(expected.map((one) => one.length))
  expect([...list.part(), ...list.slice(48, 60)]).toEqual([itemOf(48), itemOf(49)])
})
