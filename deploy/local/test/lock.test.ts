import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { tryLock, waitForLock } from '../bootstrap/lock.mjs'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { scratchDirectory } from './scratch.ts'

test('a lock has one holder at a time and leaves no file', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'lock')
  const first = tryLock(path)
  expect(first.lock).not.toBeNull()
  expect(tryLock(path).holder?.pid).toBe(process.pid)
  first.lock?.release()
  const again = tryLock(path)
  expect(again.lock).not.toBeNull()
  again.lock?.release()
  expect(readdirSync(scratch.path)).toEqual([])
})

test('the lock of an ended process is stale', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'lock')
  const { pid } = spawnSync('true')
  writeFileSync(path, JSON.stringify({ pid, identity: 'boot:1' }))
  expect(tryLock(path).lock).not.toBeNull()
})

test('the lock of a process whose ID was reused is stale', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'lock')
  writeFileSync(path, JSON.stringify({ pid: process.pid, identity: 'an earlier boot:1' }))
  expect(tryLock(path).lock).not.toBeNull()
})

test('a truncated lock file is stale', () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'lock')
  writeFileSync(path, '{"pid":')
  expect(tryLock(path).lock).not.toBeNull()
})

test('waitForLock waits for a running process, and takes the lock when it is killed', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'lock')
  const holder = spawn('sleep', ['600'])
  await once(holder, 'spawn')
  const pid = holder.pid ?? 0
  writeFileSync(path, JSON.stringify({ pid, identity: processIdentity(pid) }))
  const waitedFor: number[] = []
  const lock = await waitForLock(path, {
    timeoutMs: 20_000,
    onWait: (other) => {
      waitedFor.push(other.pid)
      holder.kill('SIGKILL')
    },
  })
  expect(waitedFor).toEqual([pid])
  lock.release()
  expect(existsSync(path)).toBe(false)
})

test('waiting for a lock times out, and names the holder', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'lock')
  const { lock } = tryLock(path)
  const waiting = waitForLock(path, { timeoutMs: 1, onWait: () => {} })
  await expect(waiting).rejects.toThrow(`Gave up waiting for process ${process.pid}`)
  lock?.release()
})
