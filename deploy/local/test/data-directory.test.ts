import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { claimDataDirectory } from '../src/data-directory.ts'
import { quietProgress, scratchDirectory } from './scratch.ts'

const quiet = { log: quietProgress(), waitMs: 0 }

test('a data directory is created, and one process at a time holds its lock', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'deep/data')
  {
    await using claim = await claimDataDirectory(path, quiet)
    expect(claim.path).toBe(path)
    await expect(claimDataDirectory(path, quiet)).rejects.toThrow(
      `Coffer is already running on ${path} (process ${process.pid}).`,
    )
  }
  await using again = await claimDataDirectory(path, quiet)
  expect(existsSync(join(again.path, 'run'))).toBe(true)
})

test('a start waits for the end of a killed run, which stops its servers first', async () => {
  using scratch = scratchDirectory()
  await using former = await claimDataDirectory(scratch.path, quiet)
  const { promise: waits, resolve } = Promise.withResolvers<string>()
  const log = { ...quiet.log, say: (_name: string, text: string) => resolve(text) }
  const next = claimDataDirectory(scratch.path, { log })
  expect(await waits).toBe(`waiting for the end of process ${process.pid} on ${scratch.path}`)
  await former[Symbol.asyncDispose]()
  await using claim = await next
  expect(claim.path).toBe(scratch.path)
})

test('a data directory below a file is refused in one line', async () => {
  using scratch = scratchDirectory()
  const file = join(scratch.path, 'file')
  writeFileSync(file, '')
  const claim = claimDataDirectory(join(file, 'data'), quiet)
  await expect(claim).rejects.toThrow(FatalError)
  await expect(claim).rejects.toThrow(
    /^Cannot write to the data directory .*\/file\/data \(ENOTDIR\)\..*$/,
  )
})

test('a data directory where no directory can be created is refused in one line', async () => {
  // /dev/fd accepts no new entries; on Linux it is a link into /proc.
  const claim = claimDataDirectory('/dev/fd/coffer', quiet)
  await expect(claim).rejects.toThrow(
    /^Cannot write to the data directory \/dev\/fd\/coffer \(E[A-Z]+\)\..*$/,
  )
})
