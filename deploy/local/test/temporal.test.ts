import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { processIdentity } from '../bootstrap/process-identity.mjs'
import { freePorts } from '../src/ports.ts'
import { startTemporal } from '../src/temporal.ts'
import { quietProgress, scratchDirectory, until, writeScript } from './scratch.ts'

/**
 * Script of a fake `temporal` server. While the file `stuck` exists, its store fails; starting the
 * server deletes `stuck`. If the file `said` exists, the server logs an interrupt once.
 */
const server = (scratch: string) => `
  case "$1 $2" in
    'server start-dev') echo start >> ${scratch}/starts; rm -f ${scratch}/stuck
      while :; do
        [ -e ${scratch}/said ] && echo 'lock failed: interrupted (9)' && rm ${scratch}/said
        sleep 0.05
      done;;
    'operator cluster') echo SERVING;;
    'operator namespace') echo asked >> ${scratch}/asked
      [ ! -e ${scratch}/stuck ] || { echo 'GetNamespace: interrupted (9)' >&2; exit 1; };;
  esac`

async function startScripted(scratch: string) {
  const bin = join(scratch, 'bin')
  const dataDir = join(scratch, 'data')
  for (const name of [bin, dataDir, join(dataDir, 'log'), join(dataDir, 'run')]) mkdirSync(name)
  writeScript(join(bin, 'temporal'), server(scratch))
  const [port = 0] = await freePorts(1)
  const log = quietProgress()
  const options = { dataDir, port, log, env: { PATH: bin }, fresh: false }
  const { process } = await startTemporal(options)
  if (process === null) throw new Error('a setting names a server')
  return { process, log, dataDir }
}

const linesOf = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').length : 0

test('Temporal is restarted once its store no longer answers', async () => {
  using scratch = scratchDirectory()
  const { process, log, dataDir } = await startScripted(scratch.path)
  const { pid } = process
  // The log mentions an interrupt, but the store answers: the server is not restarted.
  writeFileSync(join(scratch.path, 'said'), '')
  await until(() => linesOf(join(scratch.path, 'asked')) === 1)
  expect(processIdentity(pid)).not.toBeNull()

  writeFileSync(join(scratch.path, 'stuck'), '')
  writeFileSync(join(scratch.path, 'said'), '')
  await until(() => linesOf(join(scratch.path, 'starts')) === 2)
  expect(processIdentity(pid)).toBeNull()
  expect(log.lines).toEqual(['temporal its store no longer answers: restarting the server'])

  const second = process.pid
  await process.stop()
  expect(processIdentity(second)).toBeNull()
  expect(readdirSync(join(dataDir, 'run'))).toEqual([])
})

test('a Temporal that ends by itself is not restarted', async () => {
  using scratch = scratchDirectory()
  const { process: temporal } = await startScripted(scratch.path)
  // The server counts as ready by an answer of the script, which may come before this line.
  await until(() => linesOf(join(scratch.path, 'starts')) === 1)
  process.kill(temporal.pid, 'SIGKILL')
  await expect(temporal.running).rejects.toThrow('temporal ended unexpectedly (SIGKILL)')
  await temporal.stop()
  expect(linesOf(join(scratch.path, 'starts'))).toBe(1)
})
