import { setTimeout as sleep } from 'node:timers/promises'
import { started } from '@coffer/host/testing/started'
import type { Resolve } from '@coffer/kit/http/pinned-request.client'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { createSender } from '../src/requests/webhook-request.client.ts'
import { readAllowedHosts } from '../src/requests/webhook-url.ts'
import { type Respond, startReceiver } from '../testing/webhook-receiver.ts'

const receiver = started(() => startReceiver())

/** Sends a request to a host that leads to these addresses. */
async function postTo(host: string, addresses: string[], allowed = '') {
  const resolve: Resolve = async () => {
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  const { hosts } = readAllowedHosts(allowed)
  using sender = createSender(host, { allowed: hosts, timeoutMs: 300, resolve })
  return await sender.post('{}', { 'webhook-id': newId('chg') })
}

test.each([
  ['127.0.0.1'],
  ['10.1.2.3'],
  ['169.254.169.254'],
  ['::ffff:127.0.0.1'],
  ['::1'],
  ['fd00::1'],
  ['93.184.215.14', '192.168.1.1'],
])('a name that leads to %s %s gets no request', async (...addresses) => {
  const some = addresses.filter((one) => one !== undefined)
  const { problem } = await postTo(`https://hook.example:${receiver.host.split(':')[1]}`, some)
  expect([problem, receiver.requests]).toEqual(['the host has an address that is private', []])
})

test('an address in the URL needs the permission, too, and http as well', async () => {
  const { problem } = await postTo(receiver.url, ['127.0.0.1'])
  expect([problem, receiver.requests]).toEqual(['the host has an address that is private', []])
  const open = await postTo(receiver.url.replace('127.0.0.1', 'hook.example'), ['93.184.215.14'])
  expect(open.problem).toBe('http is not allowed for this host')
})

test('a name is resolved once for all requests of a round', async () => {
  const names: string[] = []
  const resolve: Resolve = async (name) => {
    names.push(name)
    return [{ address: names.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
  }
  const url = receiver.url.replace('127.0.0.1', 'hook.example')
  const { hosts } = readAllowedHosts(new URL(url).host)
  using sender = createSender(url, { allowed: hosts, timeoutMs: 5_000, resolve })
  const outcomes = [await sender.post('{}', {}), await sender.post('{}', {})]
  expect(outcomes.map(({ status }) => status)).toEqual([204, 204])
  expect([names, receiver.requests.at(-1)?.headers.host]).toEqual([
    ['hook.example'],
    new URL(url).host,
  ])
})

test('a name that could not be resolved is looked up again for the next request', async () => {
  let isAway = true
  const resolve: Resolve = async () => {
    if (isAway) throw new Error('the name server is away')
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const url = receiver.url.replace('127.0.0.1', 'hook.example')
  const { hosts } = readAllowedHosts(new URL(url).host)
  using sender = createSender(url, { allowed: hosts, timeoutMs: 5_000, resolve })
  expect((await sender.post('{}', {})).status).toBeNull()
  isAway = false
  expect((await sender.post('{}', {})).status).toBe(204)
})

test('requests that wait for one look-up end with it, and the next looks up again', async () => {
  let count = 0
  const resolve: Resolve = () => {
    count += 1
    return new Promise(() => {})
  }
  const { hosts } = readAllowedHosts('hook.example')
  using sender = createSender('http://hook.example', { allowed: hosts, timeoutMs: 200, resolve })
  const first = sender.post('{}', {})
  await sleep(100)
  const outcomes = await Promise.all([first, sender.post('{}', {})])
  const none = { status: null, problem: 'no answer within 0.2 seconds' }
  expect([count, ...outcomes]).toMatchObject([1, none, none])
  expect([await sender.post('{}', {}), count]).toMatchObject([none, 2])
})

const big = 'é'.repeat(3_000)
const cases: [
  string,
  Respond,
  { status: number | null; problem: string | null; answer?: string },
][] = [
  [
    'a redirect',
    (response) => response.writeHead(302, { location: '/other' }).end(),
    { status: 302, problem: 'answered 302: redirects are not followed' },
  ],
  ['silence', () => {}, { status: null, problem: 'no answer within 0.3 seconds' }],
  [
    'a connection that is cut',
    (response) => response.socket?.destroy(),
    { status: null, problem: 'no answer: ECONNRESET' },
  ],
  [
    'a long answer',
    (response) => response.writeHead(500).end(big),
    { status: 500, problem: 'answered 500', answer: 'é'.repeat(512) },
  ],
  [
    'a body that never ends',
    (response) => response.writeHead(200).write('go\0on'),
    { status: 200, problem: null, answer: 'goon' },
  ],
  [
    'another protocol',
    (response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'),
    { status: null, problem: 'no answer: HPE_INVALID_CONSTANT' },
  ],
]

test.each(cases)('the outcome of %s', async (_kind, respond, outcome) => {
  receiver.respond(respond)
  const count = receiver.requests.length
  expect(await postTo(receiver.url, ['127.0.0.1'], receiver.host)).toMatchObject(outcome)
  expect(receiver.requests).toHaveLength(count + 1)
})

test('a host that is not known, or refuses the connection, is no answer', async () => {
  const none = await postTo('https://hook.example', [])
  expect(none.problem).toMatch(/^no answer: /)
  expect((await postTo('http://127.0.0.1:1', ['127.0.0.1'], '127.0.0.1')).problem).toBe(
    'no answer: ECONNREFUSED',
  )
})
