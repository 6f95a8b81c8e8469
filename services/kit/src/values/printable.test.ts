import { expect, test } from '@jest/globals'
import { toPrintable } from './printable.ts'

const family = '👩‍👩‍👧'
const persian = 'می‌خواهم'

test.each([
  ['plain', 'plain'],
  [' a\u0000\u202Eb\r\n', 'a b'],
  ['e\u0301', '\u00E9'],
  [family, family],
  [persian, persian],
  ['क्\u200D', 'क्\u200D'],
  ['a\u200D', 'a'],
  ['\u200Da \u200Db', 'a  b'],
])('%j becomes %j', (text, printable) => {
  expect(toPrintable(text, { lengthMax: 300, instead: ' ' })).toBe(printable)
})

test('a cut leaves no joiner at the end', () => {
  expect(toPrintable(`ab${family}`, { lengthMax: 4 })).toBe('ab👩')
  expect(toPrintable(`ab${family}`, { lengthMax: 3 })).toBe('ab👩')
})
