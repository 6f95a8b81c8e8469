import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { notFound } from '@coffer/kit/rpc/errors'
import { RuleSchema } from '@coffer/proto/ledger/v1/rule'
import { RuleRunSchema } from '@coffer/proto/ledger/v1/rule_run'
import { RuleSuggestionSchema } from '@coffer/proto/ledger/v1/rule_suggestion'
import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'
import { accountUrl, ids } from '../samples.ts'

const { ruleSuggestionId, ruleId, ruleRunId, bankAccountId, transactionId } = ids
const at = timestampFromDate(new Date('2026-01-02T03:04:05Z'))
const conditions = { originalName: { kind: 'contains', text: 'lidl' } }
const actions = { name: 'Lidl', tags: [] }
const untouched = [{ transactionId, bankAccountId }]
const counts = { matchedCount: 4, changedCount: 3, editedCount: 1 }
const texts = { ruleSuggestionId, name: 'Lidl', text: '4 transactions like “LIDL”' }
const shown = { ...texts, conditions, actions: { name: 'Lidl' }, ...counts, untouched }
const suggestion = create(RuleSuggestionSchema, {
  ...texts,
  conditions,
  actions,
  ...counts,
  untouched,
})
const rule = create(RuleSchema, {
  ruleId,
  name: 'Lidl',
  conditions,
  actions,
  createdAt: at,
  updatedAt: at,
})
const url = '/api/rules/suggestions'
const one = `${accountUrl}/transactions/${transactionId}/rule_suggestion`

test('suggestions are listed, shown for a transaction, accepted and dismissed', async () => {
  let found: typeof suggestion | undefined = suggestion
  await using gateway = await createGateway({
    ruleSuggestions: {
      listRuleSuggestions: () => ({
        suggestions: [suggestion],
        examinedCount: 9,
        isComplete: true,
      }),
      getRuleSuggestion: () => (found ? { suggestion: found } : {}),
      acceptRuleSuggestion: () => ({ rule }),
      dismissRuleSuggestion: () => ({}),
    },
  })
  const list = await gateway.send('GET', url)
  expect(list.body).toEqual({ suggestions: [shown], examinedCount: 9, isComplete: true })
  expect((await gateway.send('GET', one)).body).toEqual(shown)
  expect(gateway.received.at(-1)?.message).toMatchObject({ bankAccountId, transactionId })
  found = undefined
  expect((await gateway.send('GET', one)).status).toBe(204)
  for (const body of [undefined, { name: 'Mine', actions: { name: 'x', tags: ['a'] } }]) {
    const accepted = await gateway.send('POST', `${url}/${ruleSuggestionId}/accept`, { body })
    expect(accepted).toMatchObject({ status: 200, body: { ruleId, name: 'Lidl' } })
    expect(gateway.received.at(-1)?.message).toMatchObject({ ruleSuggestionId, ...body })
  }
  const dismissed = await gateway.send('POST', `${url}/${ruleSuggestionId}/dismiss`)
  expect([dismissed.status, gateway.received.at(-1)?.message]).toMatchObject([
    204,
    { ruleSuggestionId },
  ])
})

test.each([
  [`${url}/${ruleSuggestionId}/accept`, { name: '' }, { name: 'cannot be blank' }],
  [
    `${url}/${ruleSuggestionId}/accept`,
    { actions: { tags: ['a,b'] } },
    { actions: { tags: { 0: 'cannot have a comma' } } },
  ],
  [`${url}/${ruleSuggestionId}/dismiss`, { x: 1 }, { x: 'key not expected' }],
  ['/api/rules/runs', { ruleIds: [] }, { ruleIds: 'must have 1 to 500 items' }],
  ['/api/rules/runs', { from: '2026-02-30' }, { from: expect.any(String) }],
  ['/api/rules/preview', { to: '2026-02-30' }, { to: expect.any(String) }],
])('POST %s of %j is 400', async (path, body, problems) => {
  await using gateway = await createGateway({})
  const answer = await gateway.send('POST', path, { body })
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})

test('a suggestion that is gone is 404', async () => {
  const gone = () => {
    throw notFound('rule suggestion')
  }
  const ruleSuggestions = { acceptRuleSuggestion: gone, dismissRuleSuggestion: gone }
  await using gateway = await createGateway({ ruleSuggestions })
  for (const step of ['accept', 'dismiss']) {
    expect((await gateway.send('POST', `${url}/${ruleSuggestionId}/${step}`)).status).toBe(404)
  }
})

test('runs are started, listed in pages, shown and undone', async () => {
  const run = create(RuleRunSchema, {
    ruleRunId,
    status: 'running',
    ruleIds: [ruleId],
    createdAt: at,
  })
  await using gateway = await createGateway({
    ruleRuns: {
      createRuleRun: () => ({ run }),
      listRuleRuns: () => ({ runs: [run], hasMore: true }),
      getRuleRun: () => ({ run }),
      undoRuleRun: () => ({ run }),
    },
  })
  const body = { ruleIds: [ruleId], bankAccountId, from: '2026-01-01', to: '2026-01-31' }
  const started = await gateway.send('POST', '/api/rules/runs', { body })
  expect(started.body).toMatchObject({ ruleRunId, status: 'running' })
  expect(gateway.received.at(-1)?.message).toMatchObject(body)
  const list = await gateway.send('GET', '/api/rules/runs?limit=1')
  expect(list.body).toMatchObject([{ ruleRunId }])
  const [, next = ''] = /<([^>]+)>/.exec(String(list.headers.link)) ?? []
  await gateway.send('GET', next)
  expect(gateway.received.at(-1)?.message).toMatchObject({ limit: 1, before: ruleRunId })
  for (const method of ['GET', 'DELETE']) {
    const answer = await gateway.send(method, `/api/rules/runs/${ruleRunId}`)
    expect(answer.body).toMatchObject({ ruleRunId })
  }
})
