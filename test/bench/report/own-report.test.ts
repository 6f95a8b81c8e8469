import { expect, test } from '@jest/globals'
import { withOwnFigures } from './own-report.ts'

const page = 'Words.\n<!-- own figures -->\nold\n<!-- end of own figures -->\nMore.'
const figures = [
  { work: 'GET history', times: 200, medianMs: 1.234, slowestMs: 12.6, stolen: 0.01 },
  { work: 'Import', times: 3, medianMs: 1900.4, slowestMs: 2100, stolen: 0.2 },
]

test('own figures replace the text between their marks', () => {
  const renewed = withOwnFigures(page, figures)
  const lines = renewed.split('\n')
  expect(lines).toContain('| GET history | 200 | 1.2 | 13 |')
  expect(lines).toContain('| Import | 3 | 1,900† | 2,100† |')
  expect(renewed.startsWith('Words.\n<!-- own figures -->\n')).toBe(true)
  expect(renewed.endsWith('\n<!-- end of own figures -->\nMore.')).toBe(true)
  expect(renewed).not.toContain('old')
  expect(withOwnFigures(renewed, figures)).toBe(renewed)
})

test('the stolen share of own figures is below them', () => {
  const lines = withOwnFigures(page, figures).split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^The host took 1 % .*, 20 % at worst\. †/))
  expect(withOwnFigures(page, figures.slice(0, 1))).not.toContain('†')
})
