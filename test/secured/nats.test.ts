import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NatsServers } from '@coffer/host/events/nats-servers'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { freePorts } from '@coffer/local/ports'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { nkeys } from '@nats-io/transport-node'
import { type Authority, type CertificateFiles, createCertificates } from './certificates.ts'
import { userCredentials } from './nats-accounts.ts'
import { attempt, streamOf } from './nats-attempt.ts'
import { startOwnNats } from './servers.ts'

const stack = new AsyncDisposableStack()
let authority: Authority
let client: CertificateFiles
let path: string
/** NATS that demands client certificates, and knows a user and an nkey. */
let port: number
const nkey = nkeys.createUser()

beforeAll(async () => {
  const files = stack.use(createCertificates())
  path = files.path
  authority = files.createAuthority('Coffer Test CA')
  client = authority.issue('coffer')
  const [free = 0] = await freePorts(1)
  port = free
  const users = `authorization { users: [
    { user: coffer, password: "4word:/@" }, { nkey: ${nkey.getPublicKey()} }
  ] }`
  stack.use(await startOwnNats('secured', port, `${tlsLines()}\n${users}`))
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** TLS of a server with a certificate for `localhost`, which verifies those of clients. */
function tlsLines(): string {
  const { certificate, key } = authority.issue('localhost', '127.0.0.1')
  const [cert, own, ca] = [certificate, key, authority.file].map((file) => JSON.stringify(file))
  return `tls { cert_file: ${cert}, key_file: ${own}, ca_file: ${ca}, verify: true }`
}

const secured = (): NatsServers => ({
  url: `nats://coffer:4word%3A%2F%40@localhost:${port}`,
  caFile: authority.file,
  certificateFile: client.certificate,
  keyFile: client.key,
})

async function reasonOf(servers: NatsServers): Promise<string | undefined> {
  await using broker = await attempt(servers)
  return broker.hasConnected() ? 'connected' : broker.reason
}

test('a user or an nkey signs in with a certificate; a server of a list may be away', async () => {
  expect(await reasonOf(secured())).toBe('connected')
  expect(
    await reasonOf({ ...secured(), url: `tls://coffer:4word%3A%2F%40@localhost:${port}` }),
  ).toBe('connected')
  const [closed = 0] = await freePorts(1)
  const list = `localhost:${closed},${secured().url}`
  expect(await reasonOf({ ...secured(), url: list })).toBe('connected')
  const seed = join(path, 'user.nk')
  writeFileSync(seed, `${Buffer.from(nkey.getSeed())}\n`)
  const byKey = { ...secured(), url: `localhost:${port}`, credentialsFile: seed }
  expect(await reasonOf(byKey)).toBe('connected')
})

test('a wrong user, a wrong CA and plain text are refused', async () => {
  const wrongUser = `nats://coffer:other@localhost:${port}`
  expect(await reasonOf({ ...secured(), url: wrongUser })).toBe('Authorization Violation')
  const another = createAuthorityElsewhere()
  expect(await reasonOf({ ...secured(), caFile: another.file })).toMatch(/unable to verify/)
  const plain = new URL(requiredVariable('COFFER_TEST_NATS_URL'))
  const refusal = "server does not support 'tls'"
  expect(await reasonOf({ url: `tls://localhost:${plain.port}` })).toBe(refusal)
  expect(await reasonOf({ ...secured(), url: `localhost:${plain.port}` })).toBe(refusal)
})

function createAuthorityElsewhere(): Authority {
  return stack.use(createCertificates()).createAuthority('Another CA')
}

test('a certificate for another name is refused', async () => {
  const [free = 0] = await freePorts(1)
  const { certificate, key } = authority.issue('nats.example')
  const [cert, own] = [certificate, key].map((file) => JSON.stringify(file))
  await using _server = await startOwnNats(
    'other',
    free,
    `tls { cert_file: ${cert}, key_file: ${own} }`,
  )
  const servers = { url: `localhost:${free}`, caFile: authority.file }
  expect(await reasonOf(servers)).toMatch(/localhost. is not in the cert's altnames/)
})

test('renewed credentials of an account are read at the next connection', async () => {
  const [free = 0] = await freePorts(1)
  const account = userCredentials()
  await using _server = await startOwnNats('accounts', free, account.lines)
  const credentialsFile = join(path, 'coffer.creds')
  writeFileSync(credentialsFile, userCredentials().file)
  await using broker = await attempt({ url: `localhost:${free}`, credentialsFile })
  expect(broker.hasConnected()).toBe(false)
  expect(broker.reason).toBe('Authorization Violation')
  writeFileSync(credentialsFile, account.file)
  expect(await eventually(async () => broker.hasConnected(), Boolean)).toBe(true)
  expect((await streamOf(broker)).config.num_replicas).toBe(1)
})

test('the stream has a bound; a refusal is said in the words of NATS, and ends', async () => {
  const [free = 0] = await freePorts(1)
  const limits = (store: string) =>
    `jetstream { max_mem: 16M, max_store: ${store}, max_bytes_required: true }`
  const account = (store: string) => `accounts { a {
    ${limits(store)}, users: [ { user: coffer, password: word } ]
  } }`
  await using server = await startOwnNats('bounded', free, account('64M'))
  const url = `nats://coffer:word@localhost:${free}`
  await using large = await attempt({ url })
  expect(large.hasConnected()).toBe(false)
  expect(large.reason).toBe('insufficient storage resources available')
  expect(large.refusal()).toContain(large.reason)
  await using fitting = await attempt({ url, bytesMax: 32 * 2 ** 20 })
  expect(fitting.refusal()).toBeNull()
  expect((await streamOf(fitting)).config.max_bytes).toBe(32 * 2 ** 20)
  server.configure(account('2G'))
  expect(await eventually(async () => large.hasConnected(), Boolean)).toBe(true)
  expect(large.refusal()).toBeNull()
})

test('a client certificate of another CA is refused; a renewed one is read later', async () => {
  const [certificateFile, keyFile] = ['client.pem', 'client.key'].map((name) => join(path, name))
  const wrong = createAuthorityElsewhere().issue('coffer')
  const put = ({ certificate, key }: CertificateFiles) => {
    copyFileSync(certificate, certificateFile ?? '')
    copyFileSync(key, keyFile ?? '')
  }
  put(wrong)
  // With TLS 1.3 the server refuses after the handshake, which the client notices by its timeout.
  const connectMs = 1_000
  await using broker = await attempt({ ...secured(), certificateFile, keyFile, connectMs })
  expect(broker.hasConnected()).toBe(false)
  put(client)
  expect(await eventually(async () => broker.hasConnected(), Boolean)).toBe(true)
})
