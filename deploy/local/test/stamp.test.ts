import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { hashOf, isStamped, writeStamp } from '../bootstrap/stamp.mjs'
import { scratchDirectory } from './scratch.ts'

test('a stamp holds for exactly the input it was written for', () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'a.proto')
  const stamp = join(scratch.path, 'gen/.stamp')
  writeFileSync(file, 'one')
  const hash = hashOf({ files: [file] })
  expect(isStamped(stamp, hash)).toBe(false)
  writeStamp(stamp, hash)
  expect(isStamped(stamp, hashOf({ files: [file] }))).toBe(true)
  writeFileSync(file, 'two')
  expect(isStamped(stamp, hashOf({ files: [file] }))).toBe(false)
})

test('names, texts and missing files count', () => {
  using scratch = scratchDirectory()
  const [first, second] = [join(scratch.path, 'a'), join(scratch.path, 'b')]
  writeFileSync(first, '')
  writeFileSync(second, '')
  const hashes = [
    hashOf({ files: [first] }),
    hashOf({ files: [second] }),
    hashOf({ files: [first, second] }),
    hashOf({ files: [join(scratch.path, 'missing')] }),
    hashOf({ texts: ['linux-x64'], files: [first] }),
    hashOf({ texts: ['darwin-arm64'], files: [first] }),
  ]
  expect(new Set(hashes).size).toBe(hashes.length)
})
