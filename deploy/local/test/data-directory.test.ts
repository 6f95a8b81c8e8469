import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { claimDataDirectory } from '../src/data-directory.ts'
import { scratchDirectory } from './scratch.ts'

test('a data directory is created, and one process at a time holds its lock', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'deep/data')
  {
    await using claim = claimDataDirectory(path)
    expect(claim.path).toBe(path)
    expect(() => claimDataDirectory(path)).toThrow(
      `Coffer is already running on ${path} (process ${process.pid}).`,
    )
  }
  await using again = claimDataDirectory(path)
  expect(existsSync(join(again.path, 'run'))).toBe(true)
})

test('a data directory below a file is refused in one line', () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'file')
  writeFileSync(file, '')
  const claim = () => claimDataDirectory(join(file, 'data'))
  expect(claim).toThrow(FatalError)
  expect(claim).toThrow(/^Cannot write to the data directory .*\/file\/data \(ENOTDIR\)\..*$/)
})

test('a data directory where no directory can be created is refused in one line', () => {
  // /dev/fd accepts no new entries; on Linux it is a link into /proc.
  const claim = () => claimDataDirectory('/dev/fd/coffer')
  expect(claim).toThrow(/^Cannot write to the data directory \/dev\/fd\/coffer \(E[A-Z]+\)\..*$/)
})
