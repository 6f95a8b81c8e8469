import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { basename } from 'node:path'
import { connect } from 'node:tls'
import { callerVerifier } from '@coffer/host/rpc/caller-verifier'
import { intercepted } from '@coffer/host/rpc/intercept'
import { authorize } from '@coffer/host/rpc/interceptors'
import { createMesh } from '@coffer/host/rpc/mesh'
import { loadMeshTls, requireTlsFiles, type TlsFiles } from '@coffer/host/rpc/mesh-tls'
import { loadSigner, loadVerifiers } from '@coffer/host/rpc/signing-key'
import { serve } from '@coffer/host/serve'
import { eventually } from '@coffer/host/testing/boot'
import { scratchFolder } from '@coffer/host/testing/fixture/scratch'
import { keepLogLines } from '@coffer/host/testing/log-lines'
import { sumOf } from '@coffer/host/testing/metrics'
import { silentLog } from '@coffer/host/testing/silent-log'
import { anonymousCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@coffer/proto/grpc/health'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import { Code, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type Authority,
  type CertificateFiles,
  createCertificates,
  type Unlike,
} from './certificates.ts'

const stack = new AsyncDisposableStack()
const certificates = stack.use(createCertificates())
const authority = certificates.createAuthority('coffer')
const stranger = certificates.createAuthority('stranger')
const client = filesOf(authority, authority.issue('gateway'))
const notPem = `${certificates.path}/not.pem`
writeFileSync(notPem, 'no certificate')
const bothAuthorities = joined(authority.file, stranger.file)

afterAll(() => stack.disposeAsync())

function filesOf({ file }: Authority, { certificate, key }: CertificateFiles): TlsFiles {
  return { COFFER_RPC_CA: file, COFFER_RPC_CERT: certificate, COFFER_RPC_KEY: key }
}

/** Returns a new file with the texts of these. */
function joined(...files: string[]): string {
  const names = files.map((file) => basename(file, '.pem'))
  const path = `${certificates.path}/of-${names.join('+')}.pem`
  writeFileSync(path, files.map((file) => readFileSync(file, 'utf8')).join(''))
  return path
}

/** Serves the ledger with these certificates; returns its ports and a way to call it. */
async function serveLedger(files: TlsFiles, everyMs?: number) {
  const opened = new AsyncDisposableStack()
  const { path } = opened.use(await scratchFolder())
  const signer = loadSigner(path, 'gateway')
  const verify = callerVerifier(loadVerifiers(path))
  const { log, lines } = keepLogLines()
  const tls = opened.use(loadMeshTls(files, log, everyMs))
  const routes = intercepted(
    (router) => {
      const checkServiceHealth = async () => ({ isDatabaseHealthy: true })
      router.service(ServiceHealthService, { checkServiceHealth })
    },
    [authorize({ verify, clock: () => new Date(), services: ['ledger'] })],
  )
  const ports = { rpcPort: 0, grpcPort: 0, metricsPort: 0 }
  const blockers = async () => []
  const servers = opened.use(
    await serve({ host: '127.0.0.1', ...ports, tls, log, routes, blockers }),
  )
  /** Calls the ledger by this host name with these certificates. */
  const call = async (by: TlsFiles, host = '127.0.0.1') => {
    using own = loadMeshTls(by, silentLog)
    const urls = { ledger: `https://${host}:${servers.rpcPort}` }
    using mesh = createMesh({ hosted: {}, urls, tls: own })
    const caller = asCaller(anonymousCaller(signer, new Date()))
    return await mesh.client('ledger', ServiceHealthService).checkServiceHealth({}, caller)
  }
  return { ...servers, call, lines, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

let ledger: Awaited<ReturnType<typeof serveLedger>>

beforeAll(async () => {
  const own = authority.issue('ledger', 'localhost', '127.0.0.1')
  ledger = stack.use(await serveLedger(filesOf(authority, own)))
})

/** Sends a GET over TLS, with a certificate if any; returns the status, or the error's code. */
function get(port: number, path: string, by?: TlsFiles): Promise<number | string | undefined> {
  const own = by && {
    cert: readFileSync(by.COFFER_RPC_CERT),
    key: readFileSync(by.COFFER_RPC_KEY),
  }
  const options = { host: '127.0.0.1', port, path, agent: false as const, ...own }
  return new Promise((resolve) => {
    const sent = request({ ...options, ca: readFileSync(authority.file) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    sent.end()
  })
}

const refusedPeers = () => sumOf('coffer_refused_peers_total')

test('a process with a certificate of the authority may call, by name and by address', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await ledger.call(client, host)).toMatchObject({ isDatabaseHealthy: true })
  }
  expect(await get(ledger.rpcPort, '/readyz', client)).toBe(200)
  expect(await get(ledger.rpcPort, '/metrics', client)).toBe(404)
})

test('metrics and probes need no certificate on their port, which has no calls', async () => {
  const at = (path: string) => fetch(`http://127.0.0.1:${ledger.metricsPort}${path}`)
  for (const path of ['/metrics', '/healthz', '/readyz']) expect((await at(path)).status).toBe(200)
  const call = '/coffer.health.v1.ServiceHealthService/CheckServiceHealth'
  expect((await at(call)).status).toBe(404)
})

test('peers without a certificate of the authority are refused and counted', async () => {
  const own = filesOf(authority, stranger.issue('gateway'))
  const foreign = { ...own, COFFER_RPC_CA: bothAuthorities }
  const before = await refusedPeers()
  const refused = expect.stringMatching(/^(ECONNRESET|EPIPE|ERR_SSL_)/)
  for (const port of [ledger.rpcPort, ledger.grpcPort]) {
    expect(await get(port, '/readyz')).toEqual(refused)
    expect(await get(port, '/readyz', foreign)).toEqual(refused)
  }
  await expect(ledger.call(foreign)).rejects.toMatchObject({ code: Code.Unavailable })
  await expect(fetch(`http://127.0.0.1:${ledger.rpcPort}/healthz`)).rejects.toThrow('fetch failed')
  await eventually(refusedPeers, (count) => count >= before + 5)
  const logged = ledger.lines().filter(({ msg }) => msg.startsWith('refused a peer'))
  expect(logged.length).toBeLessThanOrEqual(2)
  expect(logged[0]).toMatchObject({ level: 40, peer: '127.0.0.1', reason: expect.any(String) })
})

test('a service whose certificate is of another authority or name gets no call', async () => {
  const elsewhere = authority.issue('ledger.example.org')
  await using other = await serveLedger(filesOf(authority, elsewhere))
  const trusting = filesOf(stranger, stranger.issue('gateway'))
  const ends = await Promise.allSettled([other.call(client), ledger.call(trusting)])
  expect(ends).toMatchObject(
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'].map((code) => ({
      status: 'rejected',
      reason: { code: Code.Unavailable, cause: { code } },
    })),
  )
})

test('the port of gRPC has the same certificates', async () => {
  const [ca, key, cert] = [client.COFFER_RPC_CA, client.COFFER_RPC_KEY, client.COFFER_RPC_CERT].map(
    (file) => readFileSync(file),
  )
  const check = (own: object) => {
    const baseUrl = `https://127.0.0.1:${ledger.grpcPort}`
    const transport = createGrpcTransport({ baseUrl, nodeOptions: { ca, ...own } })
    return createClient(Health, transport).check({}, { timeoutMs: 5_000 })
  }
  expect(await check({ key, cert })).toMatchObject({ status: Status.SERVING })
  await expect(check({})).rejects.toThrow()
})

/** Returns the serial number of the certificate that a port shows. */
function serialAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

test('renewed files are used without a restart; unusable ones are logged, not used', async () => {
  const own = authority.issue('127.0.0.1')
  const files = { ...filesOf(authority, own), COFFER_RPC_CA: joined(authority.file) }
  await using renewing = await serveLedger(files, 20)
  const [before, grpcBefore] = [await serialAt(renewing.rpcPort), await serialAt(renewing.grpcPort)]
  expect(grpcBefore).toBe(before)
  const logged = (msg: string) => renewing.lines().filter((line) => line.msg === msg)
  const reasons = () =>
    logged('cannot renew the certificate').map(({ reason }) =>
      String(reason).replace('COFFER_RPC_CERT: ', ''),
    )
  const expired = authority.issueUnlike({ days: [-2, -1], key: own.key }, '127.0.0.1')
  const foreign = stranger.issueUnlike({ key: own.key }, '127.0.0.1')
  const unusable = [notPem, expired.certificate, foreign.certificate]
  for (const [index, file] of unusable.entries()) {
    copyFileSync(file, own.certificate)
    await eventually(
      async () => reasons(),
      ({ length }) => length > index,
    )
  }
  expect(reasons()).toEqual([
    `${own.certificate} is no certificate in PEM`,
    expect.stringMatching(/\.pem is valid from \S+ to \S+ only$/),
    `${own.certificate} has no valid chain to the CA in ${files.COFFER_RPC_CA}`,
  ])
  expect(await serialAt(renewing.rpcPort)).toBe(before)
  expect(logged('renewed the certificate of calls')).toEqual([])
  // Then both ends trust the other authority too.
  copyFileSync(bothAuthorities, files.COFFER_RPC_CA)
  for (const port of [renewing.rpcPort, renewing.grpcPort]) {
    await eventually(
      () => serialAt(port),
      (serial) => serial !== before,
    )
  }
  const shared = filesOf(authority, authority.issue('gateway'))
  await expect(renewing.call(shared)).rejects.toMatchObject({ code: Code.Unavailable })
  await renewing.call({ ...shared, COFFER_RPC_CA: bothAuthorities })
  expect(reasons().length).toBe(3)
})

test.each([
  ['COFFER_RPC_CA', '/missing.pem', '/missing.pem cannot be read (ENOENT)'],
  ['COFFER_RPC_CERT', '/missing.pem', '/missing.pem cannot be read (ENOENT)'],
  ['COFFER_RPC_KEY', certificates.path, `${certificates.path} cannot be read (EISDIR)`],
  ['COFFER_RPC_CA', notPem, `${notPem} is no certificate in PEM`],
  ['COFFER_RPC_CERT', notPem, `${notPem} is no certificate in PEM`],
  ['COFFER_RPC_KEY', notPem, `${notPem} is no private key in PEM`],
  ['COFFER_RPC_KEY', authority.issue('other').key, /does not belong to the certificate \/.*\.pem$/],
])('%s=%s ends the start with a line that names the file', (name, file, text) => {
  const line = typeof text === 'string' ? `${name}: ${text}` : text
  expect(() => loadMeshTls({ ...client, [name]: file }, silentLog)).toThrow(line)
})

const below = authority.createIntermediate('below')
const ended = authority.createIntermediate('ended', { days: [-3, -1] })
const same = certificates.createAuthority('coffer')
const old = certificates.createAuthority('coffer', { days: [-9, -1] })
const leafOf = (of: Authority, unlike: Unlike = {}) => of.issueUnlike(unlike, 'localhost')
const noChain = /^COFFER_RPC_CERT: \S+ has no valid chain to the CA in \S+$/
const noTime = /^COFFER_RPC_CERT: \S+ is valid from \S+Z to \S+Z only$/
const noPurpose = /^COFFER_RPC_CERT: \S+ is not for both a server and a client \(key usage\)$/

/** Returns files with a leaf, followed by more certificates, and the CA. */
function chained(leaf: CertificateFiles, ca: string, ...more: string[]): TlsFiles {
  const { certificate, key } = leaf
  const path = joined(certificate, ...more)
  return { COFFER_RPC_CA: ca, COFFER_RPC_CERT: path, COFFER_RPC_KEY: key }
}

test.each([
  ['of another CA', chained(leafOf(stranger), authority.file), noChain],
  ['of another CA of the same name', chained(leafOf(same), authority.file), noChain],
  ['ended', chained(leafOf(authority, { days: [-2, -1] }), authority.file), noTime],
  ['not begun', chained(leafOf(authority, { days: [1, 2] }), authority.file), noTime],
  ['without its intermediate', chained(leafOf(below), authority.file), noChain],
  ['of an intermediate without its CA', chained(leafOf(below), below.file), noChain],
  ['of an ended intermediate', chained(leafOf(ended), authority.file, ended.file), noChain],
  ['of an ended CA', chained(leafOf(old), old.file), noChain],
  ['for servers alone', chained(leafOf(authority, { purposes: [1] }), authority.file), noPurpose],
  ['for clients alone', chained(leafOf(authority, { purposes: [2] }), authority.file), noPurpose],
])('a certificate that no peer accepts ends the start with one line: %s', (_case, files, line) => {
  expect(() => loadMeshTls(files, silentLog)).toThrow(line)
  expect(() => requireTlsFiles(files)).toThrow(line)
})

test.each([
  ['an intermediate beside it', chained(leafOf(below), authority.file, below.file)],
  ['an intermediate beside the CA', chained(leafOf(below), joined(below.file, authority.file))],
  ['the second of two CAs', chained(leafOf(authority), joined(stranger.file, authority.file))],
  ['a CA beside an ended one', chained(leafOf(same), joined(old.file, same.file))],
  ['both purposes', chained(leafOf(authority, { purposes: [1, 2] }), authority.file)],
])('a certificate that peers accept is taken: %s', async (_case, files) => {
  await using other = await serveLedger(files)
  expect(await other.call(files, 'localhost')).toMatchObject({ isDatabaseHealthy: true })
})
