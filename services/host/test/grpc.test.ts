import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { headers } from '@coffer/kit/rpc/rpc'
import {
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import {
  loadFileDescriptorSetFromBuffer,
  loadSync,
  type PackageDefinition,
} from '@grpc/proto-loader'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadSigner } from '../src/rpc/signing-key.ts'
import type { Servers } from '../src/serve.ts'
import { createCalls, linksToken } from '../testing/fixture/calls.ts'
import { serveCalls } from '../testing/fixture/mesh.ts'
import { scratchFolder } from '../testing/fixture/scratch.ts'

// Loads the standard .proto files from npm packages, like a client in another language.
const nodeModules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
const health = loadSync(`${nodeModules}/grpc-health-check/proto/health/v1/health.proto`, {
  enums: String,
})
const reflection = loadSync(
  `${nodeModules}/@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto`,
)

type Unary = (
  request: object,
  metadata: Metadata,
  options: { deadline: number },
  done: (error: ServiceError | null, reply: Record<string, unknown>) => void,
) => void

const stack = new AsyncDisposableStack()
const caller = new Metadata()
let servers: Servers
const blockers: string[] = []

beforeAll(async () => {
  const { path } = stack.use(await scratchFolder())
  caller.set(headers.caller, await linksToken(loadSigner(path, 'gateway')))
  const options = { blockers: async () => blockers }
  servers = stack.use(await serveCalls(createCalls(), path, options))
})

afterAll(async () => {
  await stack.disposeAsync()
})

/** Creates a gRPC client of the service with this full name; disposing closes it. */
function connect(definition: PackageDefinition, service: string): Disposable & { client: Client } {
  const found = service.split('.').reduce<unknown>((branch, name) => {
    return (branch as Record<string, unknown>)[name]
  }, loadPackageDefinition(definition))
  const ClientOf = found as new (address: string, secrets: unknown) => Client
  const client = new ClientOf(`127.0.0.1:${servers.grpcPort}`, credentials.createInsecure())
  return { client, [Symbol.dispose]: () => client.close() }
}

function call(
  client: Client,
  method: string,
  request: object,
  { metadata = caller, timeoutMs = 5_000 } = {},
): Promise<Record<string, unknown>> {
  const unary = (client as unknown as Record<string, Unary>)[method]
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + timeoutMs
    unary?.call(client, request, metadata, { deadline }, (error, reply) => {
      if (error) reject(error)
      else resolve(reply)
    })
  })
}

/** Loads a service's definition through gRPC reflection only. */
async function reflect(request: object): Promise<Record<string, never>> {
  using open = connect(reflection, 'grpc.reflection.v1.ServerReflection')
  const method = (open.client as unknown as Record<string, () => NodeJS.ReadWriteStream>)
    .serverReflectionInfo
  const stream = method?.call(open.client)
  if (!stream) throw new Error('no reflection')
  const answered = once(stream, 'data')
  stream.write(request as never)
  const [answer] = await answered
  const ended = once(stream, 'end')
  stream.end()
  await ended
  return answer
}

async function reflectedLinks(): Promise<PackageDefinition> {
  const symbol = 'coffer.feedsync.v1.FeedLinkService'
  const answer = await reflect({ fileContainingSymbol: symbol })
  const { fileDescriptorProto } = answer.fileDescriptorResponse as unknown as {
    fileDescriptorProto: Buffer[]
  }
  const file = fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
  const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file }))
  return loadFileDescriptorSetFromBuffer(Buffer.from(set), { longs: String })
}

test('a plain gRPC client calls a service that it knows by reflection alone', async () => {
  using open = connect(await reflectedLinks(), 'coffer.feedsync.v1.FeedLinkService')
  const reply = await call(open.client, 'getFeedLink', { feed_link_id: 'fine' })
  expect(reply.feed_link).toMatchObject({
    feed_link_id: 'fine',
    name: 'acct_1',
    created_at: { seconds: '1767323045', nanos: 678_000_000 },
  })
})

test('it gets gRPC codes, its deadline holds, and it needs a caller token', async () => {
  using open = connect(await reflectedLinks(), 'coffer.feedsync.v1.FeedLinkService')
  const fails = (name: string, options = {}) =>
    call(open.client, 'getFeedLink', { feed_link_id: name }, options).catch(({ code }) => code)
  expect(await fails('missing')).toBe(status.NOT_FOUND)
  expect(await fails('crash')).toBe(status.INTERNAL)
  expect(await fails('hang', { timeoutMs: 50 })).toBe(status.DEADLINE_EXCEEDED)
  expect(await fails('fine', { metadata: new Metadata() })).toBe(status.UNAUTHENTICATED)
})

test('reflection lists the services and health, and refuses unknown names', async () => {
  const { listServicesResponse } = await reflect({ listServices: '' })
  expect(listServicesResponse).toEqual({
    service: [
      { name: 'coffer.feedsync.v1.FeedLinkService' },
      { name: 'coffer.ledger.v1.UploadService' },
      { name: 'grpc.health.v1.Health' },
      { name: 'grpc.reflection.v1.ServerReflection' },
    ],
  })
  const unknown = await reflect({ fileContainingSymbol: 'coffer.nothing.v1.Nothing' })
  expect(unknown.errorResponse).toMatchObject({ errorCode: status.NOT_FOUND })
})

test('health needs no caller and follows the databases', async () => {
  using open = connect(health, 'grpc.health.v1.Health')
  const check = (service: string) =>
    call(open.client, 'check', { service }, { metadata: new Metadata() })
  expect(await check('')).toEqual({ status: 'SERVING' })
  expect(await check('coffer.feedsync.v1.FeedLinkService')).toEqual({ status: 'SERVING' })
  await expect(check('coffer.nothing.v1.Nothing')).rejects.toMatchObject({
    code: status.NOT_FOUND,
  })
  blockers.push('ledger: its database does not answer')
  expect(await check('')).toEqual({ status: 'NOT_SERVING' })
  blockers.pop()
})
