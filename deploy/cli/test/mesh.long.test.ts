import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@coffer/host/testing/boot'
import { expect, test } from '@jest/globals'
import { living, noted, settings, startsOn, untilPrinted } from './starts.ts'

const processes = 12
const startMs = 200_000

test('npm start -- --mesh starts processes again that end, and drains all on Ctrl-C', async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-mesh-'))
  const dataDir = join(scratch.path, 'data')
  const env = await settings(dataDir)
  await using starts = startsOn(dataDir)
  const mesh = starts.start(env, '--mesh', '--replicas', '2')
  await untilPrinted(mesh, 'limit=5', startMs)
  expect(mesh.printed()).toContain('share the folder files/')
  // Three servers and this run beside the processes of Coffer.
  const running = noted(dataDir)
  expect(living(running)).toHaveLength(processes + 4)

  const record = () => JSON.parse(readFileSync(join(dataDir, 'run/ledger-1.json'), 'utf8'))
  const { pid } = record()
  process.kill(pid, 'SIGKILL')
  await untilPrinted(mesh, 'ledger-1   runs again')
  await eventually(
    async () => record().pid,
    (other) => other !== pid,
  )
  const answer = await fetch(`http://127.0.0.1:${env.COFFER_PORT}/api/health`)
  expect(answer.status).toBe(200)

  const last = noted(dataDir)
  mesh.child.kill('SIGINT')
  expect(await mesh.exit).toBe(0)
  expect(living(last)).toEqual([])
}, 300_000)
