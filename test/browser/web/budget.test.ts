import { expect, test } from '@jest/globals'
import { entryFiles, homeFiles, sizeOf, styleFiles } from '../sizes.ts'

test('the entry has at most 140 kB of scripts, with home 170 kB, and all styles 40 kB', () => {
  expect(sizeOf(entryFiles())).toBeLessThan(140_000)
  expect(sizeOf(homeFiles())).toBeLessThan(170_000)
  expect(sizeOf(styleFiles())).toBeLessThan(40_000)
})
