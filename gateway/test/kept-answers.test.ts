import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ListTransactionsRequest } from '@coffer/proto/ledger/v1/transaction'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createKeptAnswers } from '../src/kept-answers.ts'
import { bodyOf, jsonBody } from '../src/rest.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { accountUrl, ids, transaction } from './samples.ts'

const url = `${accountUrl}/transactions?limit=1`
const next = {
  date: timestampFromDate(new Date('2026-01-02T06:00:00Z')),
  transactionId: ids.transactionId,
}

let gateway: Gateway
let version: string | undefined
beforeEach(async () => {
  version = 'one'
  gateway = await openGateway({
    transactions: {
      listTransactions: ({ knownVersion }: ListTransactionsRequest) =>
        version !== undefined && knownVersion === version
          ? { isUnchanged: true }
          : { transactions: [transaction], next, ...(version ? { version } : {}) },
    },
  })
})
afterEach(async () => await gateway[Symbol.asyncDispose]())

function known(): string | undefined {
  const { message } = gateway.received.at(-1) as { message: ListTransactionsRequest }
  return message.knownVersion
}

test('a list that its service calls unchanged is sent again as it was', async () => {
  const first = await gateway.send('GET', url)
  expect([first.status, first.body.length, known()]).toEqual([200, 1, undefined])
  const second = await gateway.send('GET', url)
  expect(known()).toBe('one')
  expect(second.text).toBe(first.text)
  expect(second.headers.link).toBe(first.headers.link)
  expect(second.headers['content-type']).toBe(first.headers['content-type'])
})

test('a list that changed is what its service says, and is kept instead', async () => {
  await gateway.send('GET', url)
  version = 'two'
  expect((await gateway.send('GET', url)).body).toHaveLength(1)
  expect(known()).toBe('one')
  await gateway.send('GET', url)
  expect(known()).toBe('two')
})

test('another page, and a list without a version, have nothing known of them', async () => {
  await gateway.send('GET', url)
  await gateway.send('GET', `${accountUrl}/transactions?limit=2`)
  expect(known()).toBeUndefined()
  version = undefined
  const searched = `${accountUrl}/transactions?search=tea`
  await gateway.send('GET', searched)
  await gateway.send('GET', searched)
  expect(known()).toBeUndefined()
})

test('what one account was answered is not known for another at the same URL', async () => {
  const kept = createKeptAnswers()
  const asked: (string | undefined)[] = []
  const answer = (accountId: string) =>
    kept.answer({ accountId, request: { url } as never, reply: {} as never }, async (before) => {
      asked.push(before.knownVersion)
      return { isUnchanged: false, version: 'one', body: jsonBody('[]') }
    })
  await answer('acct_a')
  await answer('acct_b')
  await answer('acct_a')
  expect(asked).toEqual([undefined, undefined, 'one'])
})

test('requests that come together are one look, whoever comes later has another', async () => {
  const kept = createKeptAnswers()
  const looked = Promise.withResolvers<void>()
  let looks = 0
  const ask = () =>
    kept.answer({ accountId: 'a', request: { url } as never, reply: {} as never }, async () => {
      looks += 1
      const body = jsonBody(`${looks}`)
      if (looks === 2) looked.resolve()
      await looked.promise
      return { isUnchanged: false, version: 'one', body }
    })
  const together = [ask(), ask(), ask()]
  while (looks === 0) await new Promise(setImmediate)
  // The first look is under way: what it finds may be older than this request.
  const later = ask()
  const answers = await Promise.all([...together, later])
  expect(answers.map((answer) => String(bodyOf(answer)))).toEqual(['1', '1', '1', '2'])
})

test('a look that fails is told to all who wait for it, and not kept', async () => {
  const kept = createKeptAnswers()
  let looks = 0
  const ask = () =>
    kept.answer({ accountId: 'a', request: { url } as never, reply: {} as never }, async () => {
      looks += 1
      if (looks === 1) throw new Error('down')
      return { isUnchanged: false, version: 'one', body: jsonBody('[]') }
    })
  const outcomes = await Promise.allSettled([ask(), ask()])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await ask()
  expect(looks).toBe(2)
})
