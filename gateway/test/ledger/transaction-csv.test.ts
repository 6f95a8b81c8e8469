import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  type ListTransactionsRequest,
  TransactionSchema,
} from '@coffer/proto/ledger/v1/transaction'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { transactionCsv } from '../../src/compose/transaction-csv.ts'
import { startGateway } from '../../src/main.ts'
import { byKey, createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, bankAccount, ids, spending, transaction } from '../samples.ts'

const url = `${accountUrl}/transactions`
// Midnight of 31 December in Chicago.
const date = timestampFromDate(new Date('2025-12-31T06:00:00Z'))
const next = { date, transactionId: ids.transactionId }
const style = {
  currency: 'USD',
  decimalMark: '.' as const,
  timezone: 'America/Chicago',
  envelopes: new Map(),
}
const { transactionId } = ids

let gateway: Gateway
beforeEach(async () => {
  const row = { transactionId, date, amount: 1250n, source: 'manual', originalName: 'Tea' }
  gateway = await createGateway({
    bankAccounts: { getBankAccount: () => ({ bankAccount }) },
    spending: { listSpending: () => ({ spending: [spending] }) },
    transactions: {
      listTransactions: ({ after }: ListTransactionsRequest) =>
        after
          ? {
              transactions: [
                { ...row, amount: -5n, isPending: true, notes: 'a "b"\n=c', tags: ['=x', 'y'] },
              ],
            }
          : { transactions: [{ ...row, name: '+1;-2', spendingId: ids.spendingId }], next },
    },
  })
})
afterEach(async () => await gateway[Symbol.asyncDispose]())

/** Sends a request over TCP: a stream watches its connection. */
async function ask(query = '', { method = 'GET', ...more }: Record<string, string> = {}) {
  await using server = await startGateway({ ...gateway.deps, host: '127.0.0.1', port: 0 })
  const headers = { accept: 'text/csv', ...byKey, ...more }
  const answer = await fetch(`http://127.0.0.1:${server.port}${url}${query}`, { method, headers })
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer())
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text }
}

test('a list as CSV has all pages, with the filters', async () => {
  const { status, headers, text } = await ask('?search=tea&amount_to=9')
  expect([status, headers['content-type']]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
  ])
  expect(headers).toMatchObject({ vary: 'accept-encoding, accept' })
  expect(headers['content-disposition']).toBe('attachment; filename="coffer-transactions.csv"')
  expect(text.split('\r\n')).toEqual([
    '\ufeffDate,Name,Merchant,Amount,Currency,Envelope,Status,Category,Notes,Tags,Source,' +
      'Original name,Transaction ID',
    `2025-12-31,"'+1;'-2",,-12.50,USD,${spending.name},posted,,,,manual,Tea,${transactionId}`,
    `2025-12-31,,,0.05,USD,,pending,,"a ""b""\n'=c","'=x, y",manual,Tea,${transactionId}`,
    '',
  ])
  const lists = gateway.received.filter(({ rpc }) => rpc === 'ListTransactions')
  expect(lists.map(({ message }) => message)).toMatchObject([
    { search: 'tea', amountTo: 9n, limit: 500 },
    { search: 'tea', amountTo: 9n, limit: 500, after: next },
  ])
})

test('a decimal comma goes with semicolons, and leaves the list in JSON as it is', async () => {
  const { text } = await ask('?decimalMark=,')
  expect(text.split('\r\n').slice(0, 2)).toEqual([
    '\ufeffDate;Name;Merchant;Amount;Currency;Envelope;Status;Category;Notes;Tags;Source;' +
      'Original name;Transaction ID',
    `2025-12-31;"'+1;'-2";;-12,50;USD;${spending.name};posted;;;;manual;Tea;${transactionId}`,
  ])
  expect((await gateway.send('GET', `${url}?decimalMark=,`)).status).toBe(200)
  expect((await gateway.send('GET', `${url}?decimalMark=;`)).status).toBe(400)
})

test.each(['limit=5', 'offset=0', 'fields=name', 'after='])('CSV refuses %s', async (query) => {
  const { status, body } = await gateway.send('GET', `${url}?${query}`, {
    headers: { accept: 'text/csv' },
  })
  expect([status, Object.keys(body.problems)]).toEqual([400, [query.split('=')[0]]])
})

test('HEAD has no rows; the tag of a list in JSON is not that of a file', async () => {
  expect(await ask('', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  expect((await ask('', { 'if-none-match': '*' })).status).toBe(200)
  expect((await gateway.send('GET', url)).headers['content-type']).toMatch(/^application\/json/)
})

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ["'-5", "''-5"],
  ['－5', "'－5"],
  ['\t=1', '"\'\t\'=1"'],
  ['\rx', '"\'\rx"'],
  ['a;=1', '"a;\'=1"'],
  ['a,=1', '"a,\'=1"'],
  ["'s-Hertogenbosch - A=B", "'s-Hertogenbosch - A=B"],
])('the name %j is written as %j', async (name, cell) => {
  const first = { transactions: [create(TransactionSchema, { ...transaction, name })] }
  const [, row = ''] = await partsOf(transactionCsv(first, () => fail(), style))
  expect(row.slice('2026-01-02,'.length).startsWith(`${cell},`)).toBe(true)
})

test('a file beyond its bound fails, rather than end early', async () => {
  const page = { transactions: [transaction, transaction], next }
  const rows = transactionCsv(page as never, async () => page as never, { ...style, rowsMax: 5 })
  await expect(partsOf(rows)).rejects.toThrow('more than 5 rows')
})

async function partsOf(text: AsyncIterable<string>): Promise<string[]> {
  const parts: string[] = []
  for await (const part of text) parts.push(part)
  return parts
}

function fail(): never {
  throw new Error('there is no next page')
}
