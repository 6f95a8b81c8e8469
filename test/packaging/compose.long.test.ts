import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { cacheDirectory, root } from '@coffer/local/bootstrap/paths.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import { beforeAll, expect, test } from '@jest/globals'

// Reads the Compose files with podman-compose, which needs no engine for that.

const version = '1.6.0'
const tools = join(cacheDirectory(process.env), 'tools', `podman-compose-${version}`)

// biome-ignore lint/suspicious/noExplicitAny: a Compose file, of which tests check single fields
type Compose = any

beforeAll(async () => {
  if (existsSync(join(tools, 'bin/podman-compose'))) return
  const options = { env: process.env }
  await run('python3', ['-m', 'venv', tools], options).catch((error: Error) => {
    throw new FatalError(`Missing: python3-venv. On Debian: apt-get install python3-venv\n${error}`)
  })
  await run(join(tools, 'bin/pip'), ['install', `podman-compose==${version}`], options)
})

/** Returns a Compose file as podman-compose reads it, with these lines in place of `.env`. */
function configOf(file: string, lines: string[]): Compose {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-compose-'))
  try {
    cpSync(join(root, 'deploy/compose'), folder, { recursive: true })
    writeFileSync(join(folder, '.env'), lines.join('\n'))
    cpSync(join(folder, 'settings.env.example'), join(folder, 'settings.env'))
    const command = join(tools, 'bin/podman-compose')
    const options = { cwd: folder, env: { PATH: process.env.PATH }, stdio: 'pipe' } as const
    const text = execFileSync(command, ['--file', file, 'config'], options)
    const parse = 'import json,sys,yaml; print(json.dumps(yaml.safe_load(sys.stdin)))'
    const json = execFileSync(join(tools, 'bin/python'), ['-c', parse], { input: text })
    return JSON.parse(json.toString())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The lines of `.env.example`, with a value for each variable that has none. */
const filled = readFileSync(join(root, 'deploy/compose/.env.example'), 'utf8')
  .split('\n')
  .map((line) => (line.endsWith('=') ? `${line}some-${line.length}` : line))

test('home.yaml runs Coffer without rights, on servers that are healthy', () => {
  const { services } = configOf('home.yaml', filled)
  expect(services.coffer).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    command: ['serve', '--migrate'],
    depends_on: {
      postgres: { condition: 'service_healthy' },
      nats: { condition: 'service_healthy' },
      temporal: { condition: 'service_healthy' },
    },
    environment: { COFFER_DATABASE_URL: 'postgres://coffer:some-18@postgres:5432/coffer' },
  })
  expect(services.coffer.ports).toEqual(['127.0.0.1:4000:4000'])
  expect(services.postgres.ports).toBeUndefined()
})

test('mesh.yaml starts services after keys and tables, and keeps files in the bucket', () => {
  const { services } = configOf('mesh.yaml', filled)
  for (const name of ['identity', 'ledger', 'gateway']) {
    expect(services[name]).toMatchObject({
      read_only: true,
      volumes: [`keys-${name}:/data/keys:ro`],
      depends_on: {
        keys: { condition: 'service_completed_successfully' },
        migrate: { condition: 'service_completed_successfully' },
      },
      environment: { COFFER_LEDGER_URL: 'http://ledger:4001' },
    })
  }
  expect(services.ledger.environment).toMatchObject({
    COFFER_STORAGE: 's3',
    COFFER_LEDGER_DATABASE_URL: expect.stringMatching(/^postgres:\/\/coffer_ledger:some-\d+@/),
  })
  expect(
    Object.keys(services.gateway.environment).filter((one) => /^AWS|DATABASE/.test(one)),
  ).toEqual([])
  expect(services.keys.volumes).toContain('keys:/data')
  expect(services.migrate.volumes ?? []).toEqual([])
})

test.each(['POSTGRES_PASSWORD', 'NATS_PASSWORD', 'COFFER_EXTERNAL_URL'])(
  'neither file is read without %s',
  (name) => {
    const lines = filled.filter((line) => !line.startsWith(`${name}=`))
    for (const file of ['home.yaml', 'mesh.yaml']) {
      expect(() => configOf(file, lines)).toThrow(`required variable ${name}`)
    }
  },
)
