import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { cpuMs, residentMib, startReader, watchMemory } from './reader.ts'

test('the memory of a process may be sampled beyond its end', async () => {
  const child = spawn(process.execPath, ['-e', 'console.log(); setInterval(() => {}, 1000)'])
  await once(child.stdout, 'data')
  const pid = child.pid ?? 0
  using memory = watchMemory(pid)
  child.kill()
  await once(child, 'exit')
  await sleep(250)
  expect(memory.most()).toBeGreaterThan(0)
  expect(residentMib(pid)).toBe(0)
})

test('the processor time of a process includes that of its ended children', () => {
  const before = cpuMs(process.pid)
  const busy = 'while (process.cpuUsage().user < 100_000);'
  spawnSync(process.execPath, ['-e', busy])
  expect(cpuMs(process.pid) - before).toBeGreaterThanOrEqual(50)
  expect(cpuMs(null)).toBe(0)
})

test('a read that fails is reported when the reader stops', async () => {
  const reader = startReader(() => Promise.reject(new Error('gone')))
  await sleep(20)
  await expect(reader.stop()).rejects.toThrow('gone')
})
