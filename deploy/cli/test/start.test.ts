import { existsSync, mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runHere } from '../testing/run-here.ts'
import { answers, living, noted, settings, startsOn, untilPrinted } from './starts.ts'

const timeoutMs = 240_000

/** Links, watches and syncs the simulated feed by the printed commands; returns what is shown. */
async function syncFeed(printed: string, dataDir: string): Promise<string> {
  const env = { COFFER_DATA_DIR: dataDir }
  const [, command = ''] = /npm run coffer -- (feed:link .+)$/m.exec(printed) ?? []
  const { stdout } = await runHere(command.split(' '), env)
  const [, linkId = ''] = /npm run coffer -- feed:watch (\S+)$/m.exec(stdout) ?? []
  const [, credential = '', url = '', body = ''] =
    /curl -u (\S+) (\S+) .+'(.+)'$/m.exec(stdout) ?? []
  const headers = {
    authorization: `Basic ${Buffer.from(credential).toString('base64')}`,
    'content-type': 'application/json',
  }
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202)
  const watched = await runHere(['feed:watch', linkId], env)
  expect([watched.code, watched.stderr]).toEqual([0, ''])
  return watched.stdout
}

/** Links and syncs a bank of the simulated Plaid by the printed commands; returns the counts. */
async function linkAggregator(printed: string, dataDir: string): Promise<string> {
  const env = { COFFER_DATA_DIR: dataDir }
  const [, command = ''] = /npm run coffer -- (aggregator:link .+)$/m.exec(printed) ?? []
  const linked = await runHere(command.split(' '), env)
  expect([linked.code, linked.stderr]).toEqual([0, ''])
  const [, sync = ''] = /npm run coffer -- (sync .+)$/m.exec(linked.stdout) ?? []
  const { stdout } = await runHere(sync.split(' '), env)
  return stdout
}

test(
  'npm start prints working commands, refuses a second start, and leaves no process',
  async () => {
    using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-start-'))
    const dataDir = join(scratch.path, 'data')
    const env = await settings(dataDir)
    await using starts = startsOn(dataDir)

    const address = `http://localhost:${env.COFFER_PORT}`
    const own = { ...env, COFFER_EXTERNAL_URL: address, COFFER_SMTP_URL: 'smtp://a:b@mail' }
    const first = starts.start(own, '--try-feed', '--try-aggregator')
    await untilPrinted(first, 'limit=5')
    expect(first.printed()).toContain('Free to use')
    expect(first.printed()).toContain(`Coffer is at     ${address}\n`)
    const told = await answers(first.printed())
    expect(told.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(told[0]?.body).toMatchObject([{ institutionName: 'Demo Bank', linkType: 'manual' }])
    expect(told[2]?.body).toHaveLength(5)
    expect(await syncFeed(first.printed(), dataDir)).toMatch(
      /^Everyday Checking {2}synced at \S+\nRainy Day Savings {2}synced at \S+\n/m,
    )
    expect(await linkAggregator(first.printed(), dataDir)).toMatch(/^added \d+, /)

    const second = starts.start(env)
    expect(await second.exit).toBe(1)
    expect(second.printed()).toContain(`Coffer is already running on ${dataDir}`)

    const { stdout } = await runHere(['config'], { COFFER_DATA_DIR: dataDir, COFFER_PORT: '5' })
    expect(stdout).toMatch(
      new RegExp(`^COFFER_PORT +${env.COFFER_PORT} {2}\\(npm start; 5 in this shell\\)$`, 'm'),
    )
    expect(stdout).toMatch(/^COFFER_BILLING_ENABLED +false {2}\(default\)$/m)
    expect(stdout).toMatch(/^COFFER_ALLOW_SIGN_UP +true {2}\(npm start\)$/m)
    expect(stdout).toMatch(/^COFFER_SMTP_URL +smtp:\/\/a:\*\*\*@mail {2}\(npm start\)$/m)
    const keysDir = join(dataDir, 'keys')
    expect(stdout).toMatch(new RegExp(`^COFFER_KEYS_DIR +${keysDir} {2}\\(npm start\\)$`, 'm'))
    expect(stdout).toMatch(/^COFFER_SOCKETS_MAX +1000 {2}\(default\)$/m)
    const file = join(dataDir, 'run/settings')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toContain('smtp://a:b@mail')
    const running = noted(dataDir)
    expect(living(running)).toHaveLength(6)
    first.child.kill('SIGINT')
    expect(await first.exit).toBe(0)
    expect(living(running)).toEqual([])
  },
  timeoutMs,
)

test(
  'npm start refuses invalid settings before it starts a server',
  async () => {
    using scratch = mkdtempDisposableSync(join(tmpdir(), 'coffer-start-'))
    const dataDir = join(scratch.path, 'data')
    const env = await settings(dataDir)
    await using starts = startsOn(dataDir)
    const misused = starts.start(env, '--bogus')
    expect(await misused.exit).toBe(2)
    expect(misused.printed()).toContain("error: unknown option '--bogus'")
    const refused = starts.start({
      ...env,
      COFFER_SIGN_IN_LIMIT_PER_MINUTE: '100000',
      COFFER_LOGLEVEL: 'debug',
      COFFER_KEYS_DIR: '/dev/null',
    })
    expect(await refused.exit).toBe(2)
    expect(refused.printed().match(/^COFFER_.+$/gm)).toEqual([
      expect.stringContaining('COFFER_LOGLEVEL: there is no such setting'),
      'COFFER_SIGN_IN_LIMIT_PER_MINUTE: must be at most 10000',
      'COFFER_KEYS_DIR: /dev/null cannot be read (ENOTDIR: not a directory)',
    ])
    const incomplete = starts.start({
      ...env,
      COFFER_BILLING_ENABLED: 'true',
      COFFER_AGGREGATOR_ENABLED: 'true',
      COFFER_STORAGE: 's3',
      COFFER_KEY_SERVICE: 'aws-kms',
      COFFER_NATS_PORT: env.COFFER_PORT ?? '',
      // On Linux, /dev/fd is a link into /proc, where no directory can be created.
      COFFER_KEYS_DIR: '/dev/fd/keys',
    })
    expect(await incomplete.exit).toBe(2)
    const names = [...incomplete.printed().matchAll(/^(COFFER_\w+): /gm)].map(([, name]) => name)
    expect(names).toEqual([
      'COFFER_NATS_PORT',
      'COFFER_STRIPE_API_KEY',
      'COFFER_STRIPE_PRICE_ID',
      'COFFER_STRIPE_WEBHOOK_SECRET',
      'COFFER_AGGREGATOR_CLIENT_ID',
      'COFFER_AGGREGATOR_CLIENT_SECRET',
      'COFFER_STORAGE_BUCKET',
      'COFFER_KMS_KEY_ID',
      'COFFER_KEYS_DIR',
    ])
    expect(existsSync(dataDir)).toBe(false)
    const file = join(scratch.path, 'file')
    writeFileSync(file, '')
    const misplaced = starts.start({ ...env, COFFER_DATA_DIR: join(file, 'data') })
    expect(await misplaced.exit).toBe(1)
    expect(misplaced.printed()).toContain(`Cannot write to the data directory ${file}/data`)
    expect(misplaced.printed()).not.toContain('COFFER_KEYS_DIR')
  },
  timeoutMs,
)
