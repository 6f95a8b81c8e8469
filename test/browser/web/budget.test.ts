import { expect, test } from '@jest/globals'
import { catalogueFiles, entryFiles, homeFiles, sizeOf, styleFiles } from '../sizes.ts'

test('the entry has at most 140 kB of scripts, with home and texts 170 kB, styles 40 kB', () => {
  expect(sizeOf(entryFiles())).toBeLessThan(140_000)
  for (const texts of catalogueFiles()) {
    expect(sizeOf([...homeFiles(), texts])).toBeLessThan(170_000)
  }
  expect(sizeOf(styleFiles())).toBeLessThan(40_000)
})
