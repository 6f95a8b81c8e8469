import { pinHost, type Resolve, requestPinned } from '@coffer/kit/http/pinned-request.client'
import { describe, expect, test } from '@jest/globals'
import { faultOf } from '../../src/provider/feed-fault.ts'
import { createLunchFlow } from '../../src/provider/lunch-flow.client.ts'
import { answer, type Instance, type Serve, startInstance } from './instance.ts'

const signal = new AbortController().signal
const local = [{ address: '127.0.0.1', family: 4 }]

const listed: Serve = (response) => answer(response, 200, { body: '{"accounts":[]}' })

/** Returns the fault of reading the accounts at a host name, null if they can be read. */
async function faultAt(
  { port }: Pick<Instance, 'port'>,
  of: { host?: string; resolve?: Resolve; allowsPrivate?: boolean; attemptMs?: number },
) {
  const { host = 'feed.example', ...how } = of
  const feed = createLunchFlow({ apiUrl: `http://${host}:${port}/api/v1`, apiKey: 'key', ...how })
  return feed.listAccounts(signal).then(() => null, faultOf)
}

test('a call resolves the name once, and uses the address although the name changes', async () => {
  await using instance = await startInstance((response, path) => {
    const isFirst = instance.requests.length === 1
    if (isFirst) answer(response, 500)
    else if (path === '/accounts') answer(response, 302, { headers: { location: 'accounts/2' } })
    else listed(response, path, {} as never)
  })
  const names: string[] = []
  const resolve: Resolve = async (name) => {
    names.push(name)
    return names.length === 1 ? local : [{ address: '10.0.0.1', family: 4 }]
  }
  expect(await faultAt(instance, { resolve, allowsPrivate: true })).toBeNull()
  expect(instance.requests).toEqual(['/accounts', '/accounts', '/accounts/2'])
  expect(names).toEqual(['feed.example'])
  expect(instance.hosts[0]).toBe(`feed.example:${instance.port}`)
})

describe('a name is refused without a request if it leads to', () => {
  test.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['::ffff:127.0.0.1'],
    ['::1'],
    ['fd00::1'],
    ['93.184.215.14', '192.168.1.1'],
  ])('%s %s', async (...addresses) => {
    await using instance = await startInstance(listed)
    const resolve: Resolve = async () => {
      const some = addresses.filter((one) => one !== undefined)
      return some.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    }
    const fault = await faultAt(instance, { resolve })
    expect([fault?.code, instance.requests]).toEqual(['private-address', []])
  })
})

test.each(['127.0.0.1', 'localhost', '2130706433', '0x7f.1'])(
  'the URL that the operator allowed may name the address itself: %s',
  async (host) => {
    await using instance = await startInstance(listed)
    expect(await faultAt(instance, { host })).toBeNull()
  },
)

test('a name under localhost needs the setting', async () => {
  await using instance = await startInstance(listed)
  const of = { host: 'feed.localhost', resolve: async () => local }
  expect((await faultAt(instance, of))?.code).toBe('private-address')
  expect(await faultAt(instance, { ...of, allowsPrivate: true })).toBeNull()
})

test('an unknown name, or one that is resolved too late, is no answer', async () => {
  const of = { signal, allowsPrivate: false }
  const url = new URL('http://feed.example')
  const never = () => new Promise<never>(() => {})
  const unanswered = [
    { ...of, resolve: () => Promise.reject(new Error('ENOTFOUND')) },
    { ...of, resolve: async () => [] },
    { ...of, signal: AbortSignal.timeout(20), resolve: never },
    { ...of, signal: AbortSignal.abort(), resolve: never },
  ]
  for (const one of unanswered) {
    await expect(pinHost(url, one)).rejects.toMatchObject({ reason: 'no-answer' })
  }
})

const chunk = Buffer.alloc(1024 * 1024, 'x')

describe('no answer is', () => {
  const endings: Record<string, Serve> = {
    'a connection that is cut before the answer': (_response, _path, request) => request.destroy(),
    'a body that is cut': (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"accounts":')
      setTimeout(() => response.destroy(), 20)
    },
    'a body that never ends': (response) => {
      const timer = setInterval(() => response.write(' '), 10)
      response.on('close', () => clearInterval(timer))
    },
    silence: () => {},
    'another protocol': (response) => {
      response.socket?.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    },
    'no HTTP': (response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'),
    'a header that is too large': (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`)
    },
  }
  test.each(Object.entries(endings))('%s', async (_kind, serve) => {
    await using instance = await startInstance(serve)
    const fault = await faultAt(instance, { host: '127.0.0.1', attemptMs: 1_000 })
    expect([fault?.code, instance.requests.length]).toEqual(['no-answer', 2])
  })
})

test('a body of 10 MiB is read; one byte more is too large, and not requested again', async () => {
  let size = 10
  await using instance = await startInstance((response) => {
    for (let count = 0; count < size; count += 1) response.write(chunk)
    response.end(size === 10 ? '' : 'x')
  })
  const of = { signal, allowsPrivate: true }
  const lookup = await pinHost(new URL(instance.url), of)
  const whole = await requestPinned(new URL(instance.url), { lookup, headers: {}, signal })
  expect(whole).toMatchObject({ status: 200, body: { length: 10 * 1024 * 1024 } })
  size = 10.5
  const fault = await faultAt(instance, { host: '127.0.0.1' })
  expect([fault?.code, instance.requests.length]).toEqual(['too-large', 2])
})
