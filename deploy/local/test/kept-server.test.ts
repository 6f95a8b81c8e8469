import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { keepServer } from '../src/kept-server.ts'
import { type ServerProcess, startServerProcess } from '../src/server-process.ts'
import { quietProgress, scratchDirectory, until } from './scratch.ts'

/** Starts processes that do nothing; a start fails while `isBroken`. */
function servers(scratch: string) {
  for (const name of ['log', 'run']) mkdirSync(join(scratch, name))
  const state = { isBroken: false, starts: 0 }
  const start = async () => {
    state.starts += 1
    if (state.isBroken) throw new FatalError('sleeper does not answer.')
    const command = { command: 'sleep', args: ['600'], stopSignal: 'SIGTERM' as const }
    const process = startServerProcess({ name: 'sleeper', dataDir: scratch, ...command })
    return { url: 'none', process: process as ServerProcess | null }
  }
  return { state, start }
}

test('a server that ends by itself is started again, five times a minute', async () => {
  using scratch = scratchDirectory()
  const { start, state } = servers(scratch.path)
  const log = quietProgress()
  const { process: server } = await keepServer(start, { log, pauseMs: 1 })
  if (server === null) throw new Error('not started')
  for (let restart = 1; restart <= 5; restart += 1) {
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await until(() => server.pid !== pid)
  }
  expect(state.starts).toBe(6)
  expect(log.lines).toHaveLength(5)
  expect(log.lines[0]).toMatch(/^servers sleeper ended unexpectedly \(SIGKILL\)\. .+Starting it ag/)
  process.kill(server.pid, 'SIGKILL')
  const { error } = await server.died
  expect(error.message).toMatch(/ended unexpectedly .+ It was started again 5 times within a minu/)
  await server.stop()
  expect(state.starts).toBe(6)
})

test('a failed start is repeated, and a stop ends the repetitions', async () => {
  using scratch = scratchDirectory()
  const { start, state } = servers(scratch.path)
  const log = quietProgress()
  const { process: server } = await keepServer(start, { log, pauseMs: 20 })
  if (server === null) throw new Error('not started')
  const { pid } = server
  state.isBroken = true
  process.kill(pid, 'SIGKILL')
  await until(() => state.starts === 3)
  state.isBroken = false
  await until(() => server.pid !== pid)
  expect(log.lines[1]).toBe('servers sleeper does not answer. Starting it again.')
  const second = server.pid
  process.kill(second, 'SIGKILL')
  await server.stop()
  expect(processIdentity(second)).toBeNull()
  expect(processIdentity(server.pid)).toBeNull()
})
