import { mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@coffer/host/testing/boot'
import { expect, test } from '@jest/globals'
import { runHere } from '../testing/run-here.ts'
import { answers, killServer, living, noted, settings, startsOn, untilPrinted } from './starts.ts'

const healMs = 60_000

/** Returns how the printed request for transactions is answered; 0 for no answer. */
async function statusOf(printed: string): Promise<number> {
  const [, credential = '', url = ''] = /^ {2}curl -u (\S+) '(\S+limit=5)'$/m.exec(printed) ?? []
  const authorization = `Basic ${Buffer.from(credential).toString('base64')}`
  const signal = AbortSignal.timeout(10_000)
  const answer = await fetch(url, { headers: { authorization }, signal }).catch(() => null)
  return answer?.status ?? 0
}

test('npm start starts a killed Postgres, NATS and Temporal again, and Coffer heals', async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-start-'))
  const dataDir = join(scratch.path, 'data')
  const env = await settings(dataDir)
  await using starts = startsOn(dataDir)
  const started = starts.start(env, '--try-feed')
  await untilPrinted(started, 'limit=5')
  const [, link = ''] = /npm run coffer -- (feed:link .+)$/m.exec(started.printed()) ?? []
  for (const name of ['postgres', 'nats', 'temporal']) {
    await killServer(started, dataDir, name)
    const begun = performance.now()
    const reads = () => statusOf(started.printed())
    await eventually(reads, (status) => status === 200, healMs)
    // Writes through all three: rows, an event, and the workflow of the first sync.
    const linked = () => runHere(link.split(' '), { COFFER_DATA_DIR: dataDir })
    await eventually(linked, ({ code }) => code === 0, healMs)
    console.log(`${name}: healed ${Math.round(performance.now() - begun)} ms after its restart`)
  }
  const audit = () => runHere(['audit'], { COFFER_DATA_DIR: dataDir })
  await eventually(audit, ({ code }) => code === 0, healMs)

  // NATS was started again once; four more times are allowed within a minute.
  const pidOfNats = () => {
    try {
      return Number(JSON.parse(readFileSync(join(dataDir, 'run/nats.json'), 'utf8')).pid)
    } catch {
      return 0
    }
  }
  while (started.child.exitCode === null) {
    const pid = pidOfNats()
    if (pid > 0) process.kill(pid, 'SIGKILL')
    await eventually(
      async () => started.child.exitCode !== null || pidOfNats(),
      (next) => next === true || (next !== 0 && next !== pid),
      healMs,
    )
  }
  expect(await started.exit).toBe(1)
  expect(started.printed()).toContain('It was started again 5 times within a minute.')
})

test('npm start after kill -9 of all its processes has all data', async () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-start-'))
  const dataDir = join(scratch.path, 'data')
  const env = await settings(dataDir)
  await using starts = startsOn(dataDir)
  const first = starts.start(env)
  await untilPrinted(first, 'limit=5')
  const told = await answers(first.printed())
  for (const pid of [first.child.pid ?? 0, ...noted(dataDir)]) process.kill(pid, 'SIGKILL')
  await first.exit

  const second = starts.start(env)
  await untilPrinted(second, 'limit=5')
  // The first command lists the links with the time of their last use.
  expect((await answers(second.printed())).slice(1)).toEqual(told.slice(1))
  const running = noted(dataDir)
  second.child.kill('SIGINT')
  expect(await second.exit).toBe(0)
  expect(living(running)).toEqual([])

  const third = starts.start(env)
  await untilPrinted(third, 'limit=5')
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'run/coffer.lock'), 'utf8'))
  const left = noted(dataDir)
  process.kill(pid, 'SIGKILL')
  expect(await third.exit).toBe(1)
  expect(living(left)).toEqual([])
})
