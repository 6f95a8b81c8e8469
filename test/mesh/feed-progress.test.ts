import { once } from 'node:events'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { beforeEach, expect, test } from '@jest/globals'
import WebSocket from 'ws'
import type { Json, Person } from '../harness/person.ts'
import { faults } from '../providers/feed-faults.ts'
import {
  addAccount,
  daysAgo,
  type FeedHome,
  linkFeed,
  linkOne,
  startFeedWorld,
} from './feed-world.ts'

const stages = ['begin', 'transactions', 'balances', 'complete']

const world = started(() => startFeedWorld())

beforeEach(() => {
  world.provider.accounts.splice(0)
})

const pathOf = (linkId: string, bankAccountId: string) =>
  `/api/feed/link/sync/${linkId}/bank_account/${bankAccountId}/progress`

const byKey = ({ authorization }: Person) => ({ authorization })
const bySession = ({ cookie }: Person) => ({ cookie, origin: world.coffer.baseUrl })

interface Socket {
  frames: Json[]
  /** Resolves to the code by which the server closes. */
  closed: Promise<number>
}

/** Opens the socket of a bank account. */
async function open(
  home: Pick<FeedHome, 'person' | 'linkId'>,
  bankAccountId: string,
  { baseUrl = world.coffer.baseUrl, headers = byKey(home.person) as Record<string, string> } = {},
): Promise<Socket> {
  const url = baseUrl.replace('http', 'ws') + pathOf(home.linkId, bankAccountId)
  const socket = new WebSocket(url, { headers })
  const frames: Json[] = []
  socket.on('message', (data) => frames.push(JSON.parse(String(data))))
  const closed = once(socket, 'close').then(([code]) => code)
  await once(socket, 'open')
  return { frames, closed }
}

/** Requests a sync as users do. */
async function requestSync({ person, linkId }: FeedHome): Promise<void> {
  const answer = await person.call('POST', '/feed/link/sync', { body: { linkId } })
  expect([answer.status, answer.body]).toEqual([202, null])
}

async function linkTwo(): Promise<FeedHome & { feedIds: string[] }> {
  const feedIds = [addAccount(world.provider), addAccount(world.provider)]
  for (const id of feedIds) world.provider.bank(id).post({ date: daysAgo(1), amount: '-1' })
  return { ...(await linkFeed(world, feedIds)), feedIds }
}

test('each socket shows the sync of its own bank account in order, then closes', async () => {
  const home = await linkTwo()
  const [first = '', second = ''] = home.bankAccountIds
  const one = await open(home, first)
  const other = await open(home, second, { headers: bySession(home.person) })
  await requestSync(home)
  expect(await Promise.all([one.closed, other.closed])).toEqual([1000, 1000])
  const shown = (bankAccountId: string) => stages.map((status) => ({ bankAccountId, status }))
  expect(one.frames).toEqual(shown(first))
  expect(other.frames).toEqual(shown(second))
})

test('a failure is shown on the socket of its bank account only, then it closes', async () => {
  const home = await linkTwo()
  const [first = '', second = ''] = home.bankAccountIds
  const path = new RegExp(`/${home.feedIds[0]}/transactions`)
  world.provider.fault(path, faults.status(500, 'on fire'))
  const [one, other] = [await open(home, first), await open(home, second)]
  await requestSync(home)
  expect(await Promise.all([one.closed, other.closed])).toEqual([1000, 1000])
  world.provider.fault(path, null)
  const error = 'the feed provider answered with status 500: on fire'
  expect(one.frames).toEqual([
    { bankAccountId: first, status: 'begin' },
    { bankAccountId: first, status: 'transactions' },
    { bankAccountId: first, status: 'error', error },
  ])
  expect(other.frames.map(({ status }) => status)).toEqual(stages)
})

test('a list of accounts that fails is shown on all sockets', async () => {
  const home = await linkTwo()
  world.provider.fault(/accounts$/, faults.invalidJson)
  const sockets = await Promise.all(home.bankAccountIds.map((id) => open(home, id)))
  await requestSync(home)
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1000, 1000])
  world.provider.fault(/accounts$/, null)
  const error = 'the feed provider did not send a list of accounts'
  for (const [index, { frames }] of sockets.entries()) {
    const bankAccountId = home.bankAccountIds[index]
    expect(frames).toEqual([{ bankAccountId, status: 'error', error }])
  }
})

test('the socket of a sync that stalls closes at the time limit without a frame', async () => {
  const home = await linkOne(world)
  home.bank.post({ date: daysAgo(1), amount: '-1' })
  await using brief = await world.coffer.startGateway({
    progressTimes: { pollMs: 20, limitMs: 300 },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  world.provider.fault(/transactions/, faults.hold(promise), 1)
  await requestSync(home)
  const isAsked = async () =>
    world.provider.requests.some((path) => path.includes(`/${home.feedId}/transactions`))
  await eventually(isAsked, Boolean)
  const { frames, closed } = await open(home, home.bankAccountId, { baseUrl: brief.baseUrl })
  expect([await closed, frames]).toEqual([1000, []])
  resolve()
  await eventually(home.list, ({ length }) => length === 1)
})

/** Returns status and `Connection` of the answer that refuses the upgrade. */
async function refusal(path: string, headers: Record<string, string>) {
  const socket = new WebSocket(world.coffer.baseUrl.replace('http', 'ws') + path, { headers })
  const opened = once(socket, 'open').then(() => {
    socket.terminate()
    throw new Error('the socket was opened')
  })
  const refused = once(socket, 'unexpected-response')
  const [request, answer] = await Promise.race([refused, opened])
  request.destroy()
  return { status: answer.statusCode, connection: answer.headers.connection }
}

test('upgrades of others, of other links and from other pages are refused', async () => {
  const home = await linkOne(world)
  const { person, linkId, bankAccountId } = home
  const manual = await person.createBankAccount()
  const stranger = await world.coffer.person()
  const right = pathOf(linkId, bankAccountId)
  const foreign = { origin: 'https://evil.example' }
  const wrong: [number, string, Record<string, string>][] = [
    [400, right.replace('link_', 'bac_'), byKey(person)],
    [400, pathOf(manual.linkId, manual.id), byKey(person)],
    [401, right, {}],
    [401, right, { authorization: `Basic ${btoa('key_1:wrong')}` }],
    [403, right, { ...byKey(person), ...foreign }],
    [403, right, { ...bySession(person), ...foreign }],
    [403, right, { cookie: person.cookie }],
    [404, right, byKey(stranger)],
    [404, pathOf(linkId, manual.id), byKey(person)],
    [404, pathOf(manual.linkId, bankAccountId), byKey(person)],
  ]
  for (const [status, path, headers] of wrong) {
    const seen = [path, headers, await refusal(path, headers)]
    expect(seen).toEqual([path, headers, { status, connection: 'close' }])
  }
  await expect(refusal(right, byKey(person))).rejects.toThrow('the socket was opened')
})
