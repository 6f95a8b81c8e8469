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
  const { path, linkId } = await person.createBankAccount(100_000)
  const pay = await person.post(`${path}/funding_schedules`, { name: 'Pay', ruleset: payday })
  const { fundingScheduleId } = pay
  const createGoal = (name: string) =>
    person.post(`${path}/spending`, {
      spendingType: 'goal',
      name,
      fundingScheduleId,
      targetAmount: 50_000,
      nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
      ruleset: null,
    })
  const goal = await createGoal('Bike')
  const createTransaction = async (name: string) => {
    const body = { name, amount: 1_250, date: '2026-03-02T06:00:00Z', adjustsBalance: false }
    return (await person.post(`${path}/transactions`, body)).transaction
  }
  const transaction = await createTransaction('Lunch')
  const empty = await person.post(`${path}/funding_schedules`, { name: 'Other', ruleset: payday })
  const toGoal = { fromSpendingId: null, toSpendingId: goal.spendingId, amount: 100 }
  return {
    transaction: {
      path: `${path}/transactions/${transaction.transactionId}`,
      change: (n) => ({ notes: `note ${n}` }),
      beside: () => createTransaction('Tea'),
    },
    // The amounts of its envelope and its contribution change: the plan alone counts.
    'spending object': {
      path: `${path}/spending/${goal.spendingId}`,
      change: (n) => ({ name: `Bike ${n}` }),
      beside: () => person.post(`${path}/spending/transfer`, toGoal),
    },
    'funding schedule': {
      path: `${path}/funding_schedules/${empty.fundingScheduleId}`,
      change: (n) => ({ description: `description ${n}` }),
      beside: () => createTransaction('Bread'),
    },
    'bank account': {
      path,
      change: (n) => ({ name: `Checking ${n}` }),
      beside: () => createGoal('Boat'),
    },
    link: {
      path: `/links/${linkId}`,
      change: (n) => ({ description: `description ${n}` }),
      beside: () => person.post('/bank_accounts', { linkId, name: 'Savings' }),
    },
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
