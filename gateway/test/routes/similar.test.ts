import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { TransactionClusterSchema } from '@coffer/proto/ledger/v1/similar'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const url = `${accountUrl}/transactions/${ids.transactionId}/similar`
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const term = { word: 'Tea', sanitized: 'tea', order: 1, value: 1.25, rank: 577, count: 2 }
const cluster = create(TransactionClusterSchema, {
  transactionClusterId: 'tcl_01hzzzzzzzzzzzzzzzzzzzzzza',
  bankAccountId: ids.bankAccountId,
  signature: 'ab',
  centroid: ids.transactionId,
  name: 'Tea',
  originalName: 'Tea',
  members: [ids.transactionId],
  debug: [term],
  merchant: [],
  createdAt: at,
  updatedAt: at,
})

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a cluster has its words and members as plain JSON', async () => {
  gateway = await createGateway({ similar: { getCluster: () => ({ cluster }) } })
  const { status, body } = await gateway.send('GET', url)
  expect(status).toBe(200)
  expect(body).toEqual({
    transactionClusterId: 'tcl_01hzzzzzzzzzzzzzzzzzzzzzza',
    bankAccountId: ids.bankAccountId,
    signature: 'ab',
    centroid: ids.transactionId,
    name: 'Tea',
    originalName: 'Tea',
    members: [ids.transactionId],
    debug: [term],
    merchant: [],
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-02T03:04:05Z',
  })
  const { bankAccountId, transactionId } = ids
  expect(gateway.received.at(-1)?.message).toMatchObject({ bankAccountId, transactionId })
})

test('no cluster is 204 without a body', async () => {
  gateway = await createGateway({ similar: { getCluster: () => ({}) } })
  const { status, text } = await gateway.send('GET', url)
  expect([status, text]).toEqual([204, ''])
})

test('an unknown transaction is 404', async () => {
  const getCluster = () => {
    throw notFound('transaction')
  }
  gateway = await createGateway({ similar: { getCluster } })
  expect((await gateway.send('GET', url)).status).toBe(404)
})
