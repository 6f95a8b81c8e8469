import { expect, test } from '@jest/globals'
import { amountLines, frameOf, scaleOf, ticksOf, widthOf } from './chart-scale.ts'

const dayMs = 86_400_000

test.each([
  [true, 360, 'Feb 26, 2027'],
  [false, 360, 'Feb 26, 2027'],
  [false, 30, '2027年2月26日'],
  [false, 3, '26 फ़र॰ 2027'],
  [true, 1, '٢٦ فبراير ٢٠٢٧'],
])('narrow: %s, %i days: labels such as %s do not overlap', (isNarrow, days, text) => {
  const frame = frameOf(isNarrow, ['$10,000'])
  const [begin, end] = [0, days * dayMs]
  const scale = scaleOf([0, 100], { begin, end, frame })
  const ticks = ticksOf({ begin, end }, frame, () => text)
  const spans = ticks.map(({ at, side }) => {
    const left = scale.x(at) - widthOf(text) * { begin: 0, middle: 0.5, end: 1 }[side]
    return [left, left + widthOf(text)] as const
  })
  for (const [index, [left]] of spans.entries()) {
    expect(left).toBeGreaterThan(spans[index - 1]?.[1] ?? 0)
  }
  expect(spans.at(-1)?.[1]).toBeLessThanOrEqual(frame.width)
  expect([ticks[0]?.at, ticks.at(-1)?.at]).toEqual([begin, end])
})

test.each([
  [
    [100, -250],
    [-300, -200, -100, 0, 100],
  ],
  [[0], [0, 20]],
  [[199_000], [0, 50_000, 100_000, 150_000, 200_000]],
])('amounts %j are between the lines %j', (amounts, lines) => {
  expect(amountLines(amounts.map((amount) => ({ at: 0, amount })))).toEqual(lines)
})
