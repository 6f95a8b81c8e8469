import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readKeyFile } from '../../src/secrets/key-file.ts'
import { scratchFolder } from '../../testing/fixture/scratch.ts'

const count = 1_000

/** Creates key files one after the other, so slowly that each is awaited; each in one step. */
const writer = `
  const { linkSync, writeFileSync } = require('node:fs')
  process.chdir(process.argv[1])
  writeFileSync('draft', 'a key', { mode: 0o600 })
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (let n = 0; n < ${count}; n += 1) {
    Atomics.wait(never, 0, 0, 0.2)
    linkSync('draft', n + '.pub')
  }`

test('a file that another process creates meanwhile is missing or read, and no fault', async () => {
  await using folder = await scratchFolder()
  const writing = spawn(process.execPath, ['-e', writer, folder.path], { stdio: 'inherit' })
  const ended = once(writing, 'exit')
  using _writing = { [Symbol.dispose]: () => writing.kill('SIGKILL') }
  for (let n = 0; n < count; n += 1) {
    const path = join(folder.path, `${n}.pub`)
    const until = performance.now() + 10_000
    let read = readKeyFile(path)
    while (read === null && performance.now() < until) read = readKeyFile(path)
    expect(read).toBe('a key')
  }
  expect(await ended).toEqual([0, null])
})
