import { expect, test } from '@jest/globals'
import { isDisturbed, marked, readingOf, stealText, stolenBetween, stolenShare } from './steal.ts'

const reading = (atMs: number, stolen: number, all: number) => ({ atMs, stolen, all })

test.each([
  ['all eight, and guests', 'cpu  10 20 30 40 50 60 70 80 7 7', 80, 360],
  ['a kernel without steal', 'cpu  10 20 30 40 50 60 70', 0, 280],
  ['with its processors', 'cpu  1 0 0 0 0 0 0 2 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\nintr 5', 2, 3],
])('the ticks of all processors are summed: %s', (_what, text, stolen, all) => {
  expect(readingOf(text, 5)).toEqual(reading(5, stolen, all))
})

test('a text without processors gives null', () => {
  expect(readingOf('intr 5\nctxt 7', 5)).toBeNull()
})

test.each([
  ['a tenth', reading(0, 100, 1000), reading(1, 120, 1200), 0.1],
  ['nothing', reading(0, 100, 1000), reading(1, 100, 1200), 0],
  ['a count that went backwards', reading(0, 100, 1000), reading(1, 90, 1200), 0],
  ['no time', reading(0, 100, 1000), reading(0, 100, 1000), null],
  ['no reading', null, reading(0, 100, 1000), null],
])('the stolen share between two readings: %s', (_what, from, to, share) => {
  expect(stolenShare(from, to)).toBe(share)
})

// The host stole 50 % from 1,000 to 2,000 ms, and nothing before or after.
const readings = [
  reading(0, 0, 0),
  reading(1000, 0, 200),
  reading(2000, 100, 400),
  reading(3000, 100, 600),
]

test.each([
  [0, 1000, 0],
  [1000, 2000, 0.5],
  [1500, 2500, 0.25],
  [1250, 1750, 0.5],
  [0, 3000, 1 / 6],
  [-1000, 9000, 1 / 6],
  [2500, 9000, 0],
])('the share between %d and %d ms', (fromMs, toMs, share) => {
  expect(stolenBetween(readings, { fromMs, toMs })).toBeCloseTo(share)
})

test('the share of a time without readings is null', () => {
  expect(stolenBetween([], { fromMs: 0, toMs: 1 })).toBeNull()
  expect(stolenBetween(readings, { fromMs: 3500, toMs: 4000 })).toBeNull()
})

test.each([
  [null, false],
  [0, false],
  [0.05, false],
  [0.051, true],
])('a stolen share of %d is too large: %p', (share, isTooMuch) => {
  expect(isDisturbed(share)).toBe(isTooMuch)
  expect(marked('7', share)).toBe(isTooMuch ? '7†' : '7')
})

test.each([
  [[null], 'The share of the processor time that the host took is not known.'],
  [[], 'The share of the processor time that the host took is not known.'],
  [
    [0.031, null, 0, 0.0012],
    'The host took 0.1 % of the processor time in the median, 3.1 % at worst.',
  ],
  [
    [0.456, 0.2, 0.01],
    'The host took 20 % of the processor time in the median, 46 % at worst. ' +
      '†: more than 5 %, do not trust the figure.',
  ],
])('the text about %p', (shares, text) => {
  expect(stealText(shares)).toBe(text)
})
