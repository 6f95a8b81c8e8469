import { expect } from '@jest/globals'
import type { Answer, Person } from '../harness/person.ts'
import { payday } from './budget.ts'

/** One kind of object: a change of it, and a change beside it that must not matter. */
interface Subject {
  path: string
  /** Returns a body that changes the object; each number gives another one. */
  change: (n: number) => object
  beside: () => Promise<unknown>
}

/** Creates objects of every kind with a strong ETag, in the order in which they can be deleted. */
export async function createSubjects(person: Person): Promise<Record<string, Subject>> {
  const { client } = person
  const { path, linkId, bank } = await person.createBankAccount(100_000)
  const createSchedule = async (name: string) =>
    (await client.createFundingSchedule({ ...bank, body: { name, ruleset: payday } })).data
      .fundingScheduleId
  const fundingScheduleId = await createSchedule('Pay')
  const createGoal = async (name: string) => {
    const nextRecurrence = `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`
    const plan = { fundingScheduleId, targetAmount: 50_000, nextRecurrence, ruleset: null }
    const body = { spendingType: 'goal' as const, name, ...plan }
    return (await client.createSpending({ ...bank, body })).data.spendingId
  }
  const spendingId = await createGoal('Bike')
  const createTransaction = async (name: string) => {
    const body = { name, amount: 1_250, date: '2026-03-02T06:00:00Z', adjustsBalance: false }
    return (await client.createTransaction({ ...bank, body })).data.transaction.transactionId
  }
  const transactionId = await createTransaction('Lunch')
  const emptyScheduleId = await createSchedule('Other')
  const toGoal = { fromSpendingId: null, toSpendingId: spendingId, amount: 100 }
  return {
    transaction: {
      path: `${path}/transactions/${transactionId}`,
      change: (n) => ({ notes: `note ${n}` }),
      beside: () => createTransaction('Tea'),
    },
    // The amounts of its envelope and its contribution change: the plan alone counts.
    'spending object': {
      path: `${path}/spending/${spendingId}`,
      change: (n) => ({ name: `Bike ${n}` }),
      beside: () => client.transferBetweenEnvelopes({ ...bank, body: toGoal }),
    },
    'funding schedule': {
      path: `${path}/funding_schedules/${emptyScheduleId}`,
      change: (n) => ({ description: `description ${n}` }),
      beside: () => createTransaction('Bread'),
    },
    'bank account': {
      path,
      change: (n) => ({ name: `Checking ${n}` }),
      beside: () => createGoal('Boat'),
    },
    rule: await createRuleSubject(client),
    webhook: await createWebhookSubject(client),
    link: {
      path: `/links/${linkId}`,
      change: (n) => ({ description: `description ${n}` }),
      beside: () => client.createBankAccount({ body: { linkId, name: 'Savings' } }),
    },
  }
}

async function createRuleSubject(client: Person['client']): Promise<Subject> {
  const originalName = { kind: 'contains', text: 'tea' } as const
  const createRule = async () => {
    const body = { name: 'Tea', conditions: { originalName }, actions: { name: 'Tea' } }
    return (await client.createRule({ body })).data.ruleId
  }
  const ruleId = await createRule()
  return {
    path: `/rules/${ruleId}`,
    change: (n) => ({ name: `rule ${n}` }),
    beside: async () => client.orderRules({ body: { ruleIds: [await createRule(), ruleId] } }),
  }
}

async function createWebhookSubject(client: Person['client']): Promise<Subject> {
  // Gets no change of this journey: failures would show in its answers.
  const body = { url: 'https://receiver.example/', types: ['rule_run.created' as const] }
  const path = { webhookId: (await client.createWebhook({ body })).data.webhookId }
  return {
    path: `/webhooks/${path.webhookId}`,
    change: (n) => ({ description: `description ${n}` }),
    beside: () => client.rotateWebhookSecret({ path }),
  }
}

/** Changes an object by its ETag: a change in between is never overwritten. */
export async function refuseLostUpdates(person: Person, subject: Subject): Promise<void> {
  const { path, change, beside } = subject
  const tagOf = ({ headers }: Answer) => headers.get('etag') ?? 'no tag'
  const send = (method: string, match: string, n?: number) =>
    person.call(method, path, {
      headers: { 'if-match': match },
      ...(n === undefined ? {} : { body: change(n) }),
    })
  const first = tagOf(await person.call('GET', path))
  expect(first).toMatch(/^"[\w.-]+"$/)
  await beside()
  const changed = await send('PATCH', first, 1)
  expect(changed.status).toBe(200)
  const second = tagOf(changed)
  expect(second).not.toBe(first)
  expect(tagOf(await person.call('GET', path))).toBe(second)
  expect(tagOf(await person.call('HEAD', path))).toBe(second)

  for (const stale of [first, `W/${second}`, '"another"', `${first}, "another"`]) {
    const refused = await send('PATCH', stale, 2)
    expect({ stale, status: refused.status, code: refused.body.code }).toEqual({
      stale,
      status: 412,
      code: 'OBJECT_CHANGED',
    })
    expect(tagOf(refused)).toBe(second)
    expect((await send('DELETE', stale)).status).toBe(412)
  }
  expect(tagOf(await person.call('GET', path))).toBe(second)

  const both = await Promise.all([send('PATCH', second, 3), send('PATCH', second, 4)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  expect((await send('PATCH', '*', 5)).status).toBe(200)
  const { status, body } = await send('PATCH', 'no quotes', 6)
  expect([status, body.problems]).toEqual([400, { 'If-Match': expect.any(String) }])

  const last = tagOf(await person.call('GET', path))
  const unchanged = await person.call('GET', path, { headers: { 'if-none-match': last } })
  expect([unchanged.status, unchanged.body, tagOf(unchanged)]).toEqual([304, null, last])
  expect((await send('DELETE', `"another", ${last}`)).status).toBe(200)
}
