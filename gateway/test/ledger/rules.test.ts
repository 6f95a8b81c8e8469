import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RuleSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'
import { accountUrl, ids, transaction } from '../samples.ts'

const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const { ruleId, spendingId } = ids
const conditions = { originalName: { kind: 'pattern', text: 'pos *' }, amountFrom: 5, dayTo: 3 }
const actions = { tags: ['tea'], spendingId }
const body = { name: 'Tea', conditions, actions }
const rule = create(RuleSchema, {
  ruleId,
  name: 'Tea',
  conditions: { ...conditions, amountFrom: 5n },
  actions,
  createdAt: at,
  updatedAt: at,
})
const instant = '2026-01-02T03:04:05Z'
const shown = { ruleId, ...body, createdAt: instant, updatedAt: instant, createdBy: null }

test.each([
  ['POST', '/api/rules', { sent: body, message: { name: 'Tea', actions }, answered: shown }],
  [
    'PATCH',
    `/api/rules/${ruleId}`,
    { sent: { name: 'x' }, message: { ruleId, name: 'x' }, answered: shown },
  ],
  [
    'PUT',
    '/api/rules/order',
    { sent: { ruleIds: [ruleId] }, message: { ruleIds: [ruleId] }, answered: { rules: [shown] } },
  ],
  ['GET', '/api/rules', { sent: undefined, message: {}, answered: { rules: [shown] } }],
  ['GET', `/api/rules/${ruleId}`, { sent: undefined, message: { ruleId }, answered: shown }],
])('%s %s of %j', async (method, url, { sent, message, answered }) => {
  const one = () => ({ rule })
  const all = () => ({ rules: [rule] })
  const single = { createRule: one, getRule: one, updateRule: one }
  const rules = { ...single, orderRules: all, listRules: all }
  await using gateway = await createGateway({ rules })
  const answer = await gateway.send(method, url, sent ? { body: sent } : {})
  expect(answer.body).toEqual(answered)
  expect(gateway.received.at(-1)?.message).toMatchObject(message)
})

test.each([
  [{ conditions: { dayFrom: 32 } }, { conditions: { dayFrom: 'must be 1 to 31' } }],
  [{ conditions: { amountFrom: -1 } }, { conditions: { amountFrom: 'must not be negative' } }],
  [
    { conditions: { originalName: { kind: 'regex', text: 'x' } } },
    { conditions: { originalName: { kind: expect.stringMatching(/^must be one of/) } } },
  ],
  [{ actions: { notes: '' } }, { actions: { notes: 'cannot be blank' } }],
  [{ actions: { category: 'x' } }, { actions: { category: 'key not expected' } }],
])('PATCH of a rule with %j is 400', async (sent, problems) => {
  await using gateway = await createGateway({ rules: { getRule: () => ({ rule }) } })
  const answer = await gateway.send('PATCH', `/api/rules/${ruleId}`, { body: sent })
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})

test.each([
  ['', false, 200],
  ['?include=provenance', true, 200],
  ['?include=all', undefined, 400],
])('a transaction with %j has its provenance: %s', async (query, includesProvenance, status) => {
  await using gateway = await createGateway({
    transactions: { getTransaction: () => ({ transaction }) },
  })
  const url = `${accountUrl}/transactions/${ids.transactionId}${query}`
  expect((await gateway.send('GET', url)).status).toBe(status)
  const message = gateway.received.find(({ rpc }) => rpc === 'GetTransaction')?.message
  expect(message).toEqual(
    status === 200 ? expect.objectContaining({ includesProvenance }) : undefined,
  )
})
