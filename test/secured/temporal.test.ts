import { once } from 'node:events'
import { copyFileSync, readFileSync } from 'node:fs'
import { createSecureServer, type IncomingHttpHeaders } from 'node:http2'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal, workflowQueue } from '@coffer/host/workflows/temporal'
import { type TemporalServer, temporalFault } from '@coffer/host/workflows/temporal-server'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Authority, type CertificateFiles, createCertificates } from './certificates.ts'

const stack = new AsyncDisposableStack()
const files = stack.use(createCertificates())
const authority: Authority = files.createAuthority('Coffer Test CA')
const another = files.createAuthority('Another CA')
const certificateFile = join(files.path, 'client.pem')
const keyFile = join(files.path, 'client.key')
const sockets = new Set<TLSSocket>()
let proxy: Server
let port: number

/** Options of a server that demands client certificates of an authority. */
function demanding(by: Authority) {
  const { certificate, key } = authority.issue('localhost')
  return {
    cert: readFileSync(certificate),
    key: readFileSync(key),
    ca: readFileSync(by.file),
    requestCert: true,
    rejectUnauthorized: true,
  }
}

// Temporal's development server has no TLS: a proxy in front of it terminates it.
beforeAll(async () => {
  const [host = '', plainPort] = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS').split(':')
  const options = { ...demanding(authority), ALPNProtocols: ['h2'] }
  proxy = createServer(options, (near) => {
    const far = connectTcp(Number(plainPort), host)
    sockets.add(near)
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far).pipe(near)
  })
  proxy.on('tlsClientError', () => {})
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  port = (proxy.address() as AddressInfo).port
})

afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  proxy.close()
  await stack.disposeAsync()
})

function put({ certificate, key }: CertificateFiles): void {
  copyFileSync(certificate, certificateFile)
  copyFileSync(key, keyFile)
}

const secured = (): TemporalServer => ({
  address: `localhost:${port}`,
  caFile: authority.file,
  certificateFile,
  keyFile,
})

const connect = (server: TemporalServer, prefix = newId('t')) =>
  connectTemporal({ ...server, namespace: 'default', prefix, log: silentLog, renewMs: 100 })

/** Asks for the server's capabilities once; returns whether it answered. */
async function isAnswered(server: TemporalServer): Promise<boolean> {
  await using temporal = connect(server)
  const { connection } = temporal.client
  return await connection
    .withDeadline(Date.now() + 1_500, () => connection.workflowService.getSystemInfo({}))
    .then(
      () => true,
      () => false,
    )
}

test('workflows and workers use mutual TLS, and certificates that are renewed', async () => {
  put(authority.issue('coffer'))
  const prefix = newId('t')
  await using temporal = connect(secured(), prefix)
  const act = async (name: string) => `${name} done`
  const workflows = [
    new URL('../../services/host/test/fixture/counting.workflow.ts', import.meta.url),
  ]
  const worker = { taskQueue: workflowQueue, workflows, activities: { act }, log: silentLog }
  await using _worker = await temporal.work(worker)
  const run = async (id: string) => {
    await temporal.start({ type: 'acting', id, args: [id] })
    return temporal.client.workflow.getHandle(`${prefix}/${workflowQueue}/${id}`).result()
  }
  expect(await run('first')).toBe('first done')
  put(another.issue('coffer'))
  proxy.setSecureContext(demanding(another))
  for (const socket of sockets) socket.destroy()
  const second = await eventually(() => run('second').catch(() => null), Boolean)
  expect(second).toBe('second done')
  put(authority.issue('coffer'))
  proxy.setSecureContext(demanding(authority))
}, 60_000)

test('another CA, another name, a missing certificate and plain text are refused', async () => {
  put(authority.issue('coffer'))
  expect(await isAnswered(secured())).toBe(true)
  const { address, caFile } = secured()
  const refused: TemporalServer[] = [
    { ...secured(), caFile: another.file },
    { ...secured(), caFile: 'system' },
    { ...secured(), address: `127.0.0.1:${port}` },
    { address, caFile },
    { address },
    { ...secured(), address: requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS') },
  ]
  expect(await Promise.all(refused.map(isAnswered))).toEqual(refused.map(() => false))
})

test('an API key is sent by clients and workers', async () => {
  const { certificate, key } = authority.issue('localhost')
  const options = { cert: readFileSync(certificate), key: readFileSync(key) }
  const seen: IncomingHttpHeaders[] = []
  const server = createSecureServer(options, (request, response) => {
    seen.push(request.headers)
    response.writeHead(200, { 'content-type': 'application/grpc', 'grpc-status': '7' }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `localhost:${(server.address() as AddressInfo).port}`
  {
    await using temporal = connect({ address, caFile: authority.file, apiKey: 'cloud-key' })
    await expect(temporal.start({ type: 'acting', id: 'one', args: [] })).rejects.toThrow()
    const work = { taskQueue: 'one', workflows: [], activities: {}, log: silentLog }
    await using _worker = await temporal.work(work)
  }
  server.close()
  const clients = seen.map((headers) => [
    headers.authorization,
    `${headers['user-agent']}`.includes('grpc-node'),
  ])
  expect(clients).toContainEqual(['Bearer cloud-key', true])
  expect(clients).toContainEqual(['Bearer cloud-key', false])
  expect(seen.filter(({ authorization }) => authorization !== 'Bearer cloud-key')).toEqual([])
})

test('settings that cannot be used are refused', () => {
  expect(temporalFault({ address: 'https://temporal.example:7233' })).toMatch(/must be host:port$/)
  expect(temporalFault({ address: 'a:7233', certificateFile: '/c' })).toMatch(/_CERT: needs/)
  expect(temporalFault({ address: 'a:7233', caFile: 'system', apiKey: 'k' })).toBeNull()
})
