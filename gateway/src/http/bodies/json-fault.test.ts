import { expect, test } from '@jest/globals'
import { locateJsonFault } from './json-fault.ts'

test.each([
  ['{"a":x}', ' at line 1, column 6'],
  ['{"a":1,}', ' at line 1, column 8'],
  ['{"a":1} x', ' at line 1, column 9'],
  ["{'a':1}", ' at line 1, column 2'],
  ['{"a" 1}', ' at line 1, column 6'],
  ['{"a":01}', ' at line 1, column 7'],
  ['{"a":1 "b":2}', ' at line 1, column 8'],
  ['{\n  "a": 1,\n  b: 2\n}', ' at line 3, column 3'],
  ['{"a":1, // a comment\n"b":2}', ' at line 1, column 9'],
  ['{"a":"\\x"}', ' at line 1, column 6'],
  ['{', ': it ends too soon, at line 1, column 2'],
  ['{"a":[1,\n', ': it ends too soon, at line 2, column 1'],
  ['[NaN]', ' at line 1, column 2'],
])('%j is not JSON%s', (text, position) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError)
  expect(locateJsonFault(text)).toBe(position)
})

test('a text that is too long to be searched is refused without a position', () => {
  const text = `${' '.repeat(100_000)}x`
  expect(locateJsonFault(text)).toBe(', and too long to name the position')
})
