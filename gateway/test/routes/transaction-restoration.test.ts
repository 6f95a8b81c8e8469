import { headers as names } from '@coffer/kit/rpc/rpc'
import { afterEach, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, envelope, ids, spending, transaction } from '../samples.ts'

const url = `${accountUrl}/transactions/${ids.transactionId}`

let gateway: Gateway
afterEach(async () => await gateway?.[Symbol.asyncDispose]())

test('a restored one is answered like a changed one, with or without an empty body', async () => {
  const found = { getTransaction: () => ({ transaction }) }
  const reply = { transaction, balance: balances, envelopes: [envelope] }
  gateway = await createGateway({
    transactions: { ...found, restoreTransaction: () => reply },
    spending: { recalculateSpending: () => ({ spending: [spending] }) },
  })
  for (const body of [undefined, {}]) {
    const headers = { 'idempotency-key': 'again' }
    const answer = await gateway.send('POST', `${url}/restore`, { body, headers })
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([
      200,
      ['balance', 'spending', 'transaction'],
    ])
    const { header, message } = gateway.received.find(({ rpc }) => rpc === 'RestoreTransaction')!
    expect(header.get(names.idempotencyKey)).toBe('again')
    expect(header.get(names.bodyHash)).toMatch(/^[0-9a-f]{64}$/)
    expect(message).toMatchObject({ transactionId: ids.transactionId })
    gateway.received.length = 0
  }
  const wrong = await gateway.send('POST', `${url}/restore`, { body: { amount: 1 } })
  expect([wrong.status, wrong.body.problems]).toEqual([400, { amount: 'key not expected' }])
})

test('a correction is answered like a change, with hints only if there are any', async () => {
  const reply = { transaction, balance: balances, envelopes: [] }
  const hints = ['Only the transaction was corrected.']
  for (const corrected of [reply, { ...reply, hints }]) {
    gateway = await createGateway({
      transactions: { getTransaction: () => reply },
      corrections: { correctTransaction: () => corrected },
    })
    const { status, body } = await gateway.send('POST', `${url}/correct`, { body: { amount: 1 } })
    expect([status, body.hints]).toEqual([200, 'hints' in corrected ? hints : undefined])
    const wrong = await gateway.send('POST', `${url}/correct`, { body: { adjustsBalance: true } })
    expect(wrong.body.problems).toEqual({ adjustsBalance: 'key not expected' })
  }
})
