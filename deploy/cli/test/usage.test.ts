import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runHere } from '../testing/run-here.ts'
import { runCommand } from './command.ts'

const logins = ['login:reset-password', 'login:disable', 'beta:new-code']
const keys = ['keys:create', 'keys:rotate']
const feed = ['feed:link', 'feed:watch', 'sync']
const aggregator = ['aggregator:link', 'aggregator:refresh', 'aggregator:webhook']
const general = ['serve', 'migrate', 'config', 'audit', 'replay', 'demo']
const commands = [...general, ...feed, ...aggregator, ...logins, ...keys]
const nowhere = { COFFER_DATA_DIR: '/nonexistent' }

test('help names every command, and every command has help with an example', async () => {
  const { code, stdout } = await runHere(['--help'])
  expect(code).toBe(0)
  for (const command of commands) {
    expect(stdout).toContain(`  ${command} `)
    const help = await runHere([command, '--help'])
    expect(help.code).toBe(0)
    expect(help.stdout).toMatch(/Examples?:\n {2}\$ /)
  }
})

test('the README names every command', async () => {
  const { stdout } = await runHere(['--help'])
  const [, list = ''] = stdout.split('Commands:\n')
  const named = [...list.matchAll(/^ {2}([a-z:-]+) /gm)].map(([, command]) => command)
  expect(named).toEqual(expect.arrayContaining(commands))
  const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8')
  for (const command of named) expect(readme).toContain(`\`${command}\``)
})

test('the version is the one of the package', async () => {
  const file = join(import.meta.dirname, '../../../package.json')
  const { version } = JSON.parse(await readFile(file, 'utf8'))
  expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('compiled code is cached for the next start', async () => {
  await runCommand(['--help'])
  const kept = join(import.meta.dirname, '../node_modules/.cache/compiled')
  expect((await readdir(kept, { recursive: true })).length).toBeGreaterThan(10)
})

test.each([
  [['bogus'], "error: unknown command 'bogus'"],
  [['bogus', '--help'], "error: unknown command 'bogus'"],
  [['serve', '--bogus'], "error: unknown option '--bogus'"],
  [['serve', 'bogus'], "error: command-argument value 'bogus' is invalid"],
  [['replay', '--since', 'yesterday'], "error: option '--since <time>' argument 'yesterday'"],
])('%j prints one line, and exits with 2', async (args, line) => {
  const { code, stderr } = await runHere(args)
  expect(code).toBe(2)
  expect(stderr).toContain(line)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
})

test('a misspelt setting is refused with the nearest name', async () => {
  const env = { ...nowhere, COFFER_LOGLEVEL: 'debug' }
  const { code, stderr } = await runCommand(['migrate'], env)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'COFFER_LOGLEVEL: there is no such setting; did you mean COFFER_LOG_LEVEL?\n',
  })
  // Four edits from COFFER_PORT: the suggestion would mislead.
  const typo = await runHere(['migrate'], { ...nowhere, COFFER_TYPO_X: '1' })
  const all = '"coffer config" lists all settings'
  expect(typo.stderr).toBe(`COFFER_TYPO_X: there is no such setting; ${all}\n`)
})

// Variables that Kubernetes sets for Services named coffer and coffer-ledger.
const serviceLinks = {
  COFFER_PORT: 'tcp://10.0.0.1:4000',
  COFFER_PORT_4000_TCP: 'tcp://10.0.0.1:4000',
  COFFER_PORT_4000_TCP_ADDR: '10.0.0.1',
  COFFER_SERVICE_HOST: '10.0.0.1',
  COFFER_SERVICE_PORT: '4000',
  COFFER_LEDGER_PORT: 'tcp://10.0.0.2:4001',
  COFFER_LEDGER_SERVICE_PORT_RPC: '4001',
}

test('service links of Kubernetes are no settings', async () => {
  const { code, stderr } = await runHere(['serve'], { ...nowhere, ...serviceLinks })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'COFFER_DATABASE_URL: not set; "npm start" includes a database\n' +
      'COFFER_NATS_URL: not set; "npm start" includes NATS\n' +
      'COFFER_TEMPORAL_ADDRESS: not set; "npm start" includes Temporal\n',
  })
  const { stdout } = await runHere(['config'], { ...nowhere, ...serviceLinks })
  expect(stdout).toMatch(/COFFER_PORT +4000 +\(default/)
})

test('no setting has the name of a service link', async () => {
  const { stdout } = await runHere(['config'], nowhere)
  expect(stdout).not.toMatch(/^COFFER_(\w+_)?(SERVICE_(HOST|PORT)|PORT_\d)/m)
})

test('every invalid setting has a line of its own', async () => {
  const env = { ...nowhere, COFFER_PORT: 'many', COFFER_LOG_LEVEL: 'loud', COFFER_NOSUCH: '1' }
  const { code, stderr } = await runHere(['serve'], env)
  expect(code).toBe(2)
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^COFFER_NOSUCH: there is no such setting/),
    expect.stringMatching(/^COFFER_PORT: /),
    expect.stringMatching(/^COFFER_LOG_LEVEL: /),
  ])
})

test('an invalid setting that several services read is refused once', async () => {
  const env = { ...nowhere, COFFER_SIGN_IN_LIMIT_PER_MINUTE: '100000' }
  const { code, stderr } = await runHere(['serve'], env)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'COFFER_SIGN_IN_LIMIT_PER_MINUTE: must be at most 10000\n',
  })
})

test('every fault of the settings is shown before a server is called', async () => {
  const { code, stderr } = await runHere(['serve'], {
    ...nowhere,
    COFFER_DATABASE_URL: 'postgres://127.0.0.1:1/none',
    COFFER_NATS_URL: 'nats://127.0.0.1:1',
    COFFER_RPC_PORT: '4000',
    COFFER_OTLP_METRICS_SECONDS: '5',
    COFFER_BILLING_ENABLED: 'true',
    COFFER_STRIPE_API_KEY: 'sk',
    COFFER_STORAGE: 's3',
  })
  expect(code).toBe(2)
  expect(stderr.trimEnd().split('\n')).toEqual([
    'COFFER_RPC_PORT: 4000 is COFFER_PORT already',
    'COFFER_TEMPORAL_ADDRESS: not set; "npm start" includes Temporal',
    'COFFER_OTLP_METRICS_SECONDS: needs OTEL_EXPORTER_OTLP_ENDPOINT',
    'COFFER_STRIPE_PRICE_ID: needed with billing',
    'COFFER_STRIPE_WEBHOOK_SECRET: needed with billing',
    'COFFER_STORAGE_BUCKET: is needed where COFFER_STORAGE is s3',
  ])
})

const tlsText = 'not set: calls with TLS need COFFER_RPC_CA, COFFER_RPC_CERT and COFFER_RPC_KEY'

test.each([
  {
    settings: { COFFER_RPC_CERT: '/tls.crt' },
    lines: [`COFFER_RPC_CA: ${tlsText}`, `COFFER_RPC_KEY: ${tlsText}`],
  },
  {
    settings: { COFFER_RPC_CA: '/no/ca.crt', COFFER_RPC_CERT: '/tls.crt', COFFER_RPC_KEY: '/key' },
    lines: ['COFFER_RPC_CA: /no/ca.crt cannot be read (ENOENT)'],
  },
  {
    settings: { COFFER_LEDGER_URL: 'https://ledger:4001' },
    lines: ['COFFER_LEDGER_URL: must begin with http: without COFFER_RPC_CERT'],
  },
  {
    settings: { COFFER_METRICS_PORT: '4002' },
    lines: ['COFFER_METRICS_PORT: 4002 is COFFER_GRPC_PORT already'],
  },
])('settings of TLS that do not fit are refused: $lines.0', async ({ settings, lines }) => {
  const { code, stderr } = await runHere(['serve', 'identity'], {
    ...nowhere,
    COFFER_DATABASE_URL: 'postgres://127.0.0.1:1/none',
    COFFER_NATS_URL: 'nats://127.0.0.1:1',
    COFFER_TEMPORAL_ADDRESS: '127.0.0.1:1',
    ...settings,
  })
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, lines])
})

test('a list of proxies with an invalid address is refused', async () => {
  const { code, stderr } = await runHere(['serve'], {
    ...nowhere,
    COFFER_DATABASE_URL: 'postgres://127.0.0.1:1/none',
    COFFER_TRUSTED_PROXIES: '10.0.0.0/8,zzz',
  })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^COFFER_TRUSTED_PROXIES: must be IP addresses or networks/)
})

test.each([
  ['budgeting', 'ledger'],
  ['aggregator-sync', 'ledger'],
  ['feed-sync', 'ledger'],
  ['ledger', 'identity'],
])('%s is not started without an address of %s', async (name, called) => {
  const { code, stderr } = await runHere(['serve', name], nowhere)
  const variable = `COFFER_${called.toUpperCase()}_URL`
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `${variable}: not set, and ${name} calls ${called}\n`,
  })
})

test('a gateway with the addresses of 0.3.0 names the new one, and the page to read', async () => {
  const former = ['IDENTITY', 'LEDGER', 'BUDGETING', 'AGGREGATOR_SYNC', 'FEED_SYNC']
  const addresses = former.map((name) => [`COFFER_${name}_URL`, 'http://127.0.0.1:1'])
  const env = { ...nowhere, ...Object.fromEntries(addresses) }
  const { code, stderr } = await runHere(['serve', 'gateway'], env)
  expect([code, stderr]).toEqual([
    2,
    'COFFER_NOTICES_URL: not set, and gateway calls notices, which is new in 0.4.0: ' +
      'see "A sixth service" in docs/running/upgrading.md\n',
  ])
  const path = join(import.meta.dirname, '../../../docs/running/upgrading.md')
  const page = await readFile(path, 'utf8')
  expect(page).toMatch(/^### A sixth service$/m)
})

test('services that call no other, or one beside them, need no address of one', async () => {
  const { stderr } = await runHere(['serve', 'identity', 'ledger', 'aggregator-sync'], nowhere)
  expect(stderr).not.toMatch(/COFFER_(IDENTITY|LEDGER)_URL/)
  expect(stderr).toContain('COFFER_DATABASE_URL: not set')
})

test('a command without a database names the setting and npm start', async () => {
  const { code, stderr } = await runHere(['migrate'], nowhere)
  expect(code).toBe(2)
  expect(stderr).toBe('COFFER_DATABASE_URL: not set; "npm start" includes a database\n')
})

test('beside the database of one service, that of another is named', async () => {
  const ofLedger = { ...nowhere, COFFER_LEDGER_DATABASE_URL: 'postgres://127.0.0.1:1/coffer' }
  for (const words of [['beta:new-code'], ['serve', 'identity']]) {
    const { code, stderr } = await runHere(words, ofLedger)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        'COFFER_IDENTITY_DATABASE_URL: not set, nor COFFER_DATABASE_URL for all services\n',
      ),
    ])
  }
})

test('a server that does not answer is named without its password', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const env = { ...nowhere, COFFER_DATABASE_URL: `postgres://me:secret@127.0.0.1:${port}/money` }
  const { code, stderr } = await runHere(['migrate'], env)
  server.close()
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Postgres at 127\.0\.0\.1:\d+\/money does not answer: .+\n$/)
  expect(stderr).not.toContain('secret')
})

test('config prints values with their source, without secrets', async () => {
  const env = {
    ...nowhere,
    COFFER_PORT: '8080',
    COFFER_DATABASE_URL: 'postgres://me:secret@db/money',
  }
  const { code, stdout } = await runHere(['config'], env)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^COFFER_PORT +8080 {2}\(environment\)$/m)
  expect(stdout).toMatch(/^COFFER_RPC_PORT +4001 {2}\(default\)$/m)
  expect(stdout).toMatch(/^COFFER_KEYS_DIR +\/nonexistent\/keys {2}\(default\)$/m)
  expect(stdout).toMatch(/^COFFER_DATABASE_URL +postgres:\/\/me:\*\*\*@db\/money {2}\(env/m)
})

test('a demo without a server names npm start', async () => {
  const args = ['demo', '--url', 'http://127.0.0.1:1']
  const { code, stderr } = await runHere(args, nowhere)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^No server at http:\/\/127\.0\.0\.1:1: .*"npm start"\.\n$/)
})
