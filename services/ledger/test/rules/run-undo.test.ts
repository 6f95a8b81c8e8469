import { booting } from '@coffer/host/testing/booting'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { aRow, assign, envelopeOf, syncedHome } from '../syncs/syncing.ts'
import { type Parts, rulingOf, runningOf } from './ruling.ts'

const booted = auditing(booting([ledger]))

/** Creates an account with an envelope of 10.00 and one of 90.00, and the calls to its runs. */
async function createWorld() {
  const home = await syncedHome(booted)
  const [food, other] = [await envelopeOf(home, 1_000n), await envelopeOf(home, 9_000n)]
  const { write, client } = rulingOf(booted)(home)
  const { start, ended, undo } = runningOf(booted)(home)
  return {
    home,
    food,
    other,
    write,
    change: (ruleId = '', actions: Parts['actions'] = {}) =>
      client.updateRule({ ruleId, actions }, home.as),
    run: async () => (await ended((await start())?.ruleRunId))?.ruleRunId,
    undoes: async (ruleRunId = '') => {
      await undo(ruleRunId)
      return ended(ruleRunId)
    },
    held: async () => [await food.held(), await other.held()],
  }
}
type World = Awaited<ReturnType<typeof createWorld>>

const envelope = ({ spendingId }: World['food']) => ({ spendingId, refundSpendingId: spendingId })

test('an undo restores what envelopes had given, and got of refunds', async () => {
  const { home, food, other, write, change, run, undoes, held } = await createWorld()
  const [ruleId] = await write({ actions: envelope(food) })
  const tea = { originalName: 'TEA', name: 'TEA', displayName: 'TEA' }
  const rows = [{ amount: 400n }, { amount: -700n }, { amount: 1_500n }, { amount: 800n, ...tea }]
  for (const row of rows) await home.brings(aRow(row))
  const { bankAccountId, envelopes, as } = home
  await envelopes.transfer({ bankAccountId, toSpendingId: food.spendingId, amount: 500n }, as)
  const before = await home.all()
  const given = before.map(({ spendingAmount, refundAmount }) => refundAmount ?? spendingAmount)
  expect(given.toSorted()).toEqual([1_000n, 400n, 400n, undefined])
  await change(ruleId, envelope(other))
  const conditions = { originalName: { kind: 'contains', text: 'tea' } }
  // It takes money that the run has taken from the other rows.
  await write({ conditions, actions: envelope(food) })
  const ruleRunId = await run()
  expect(await held()).toEqual([700n, 7_800n])
  expect(await undoes(ruleRunId)).toMatchObject({ undoneCount: 4n, keptCount: 0n })
  expect(await home.all()).toEqual(before)
  expect(await held()).toEqual([500n, 9_000n])
})

test.each([
  // The envelope has spent the refund before the run moves it.
  [[1_000n, -600n, 600n], false],
  [[1_000n, -600n, 200n], false],
  [[300n, 900n, -600n, 600n], false],
  // The payment is deleted after its refund: more is refunded than was taken.
  [[1_000n, -600n], true],
])(
  'an undo at once leaves the amounts before, also of spent refunds (%p, deleted: %p)',
  async (amounts, isDeleted) => {
    const { home, food, other, write, run, undoes, held } = await createWorld()
    const [later = ''] = await write({ actions: envelope(food) })
    for (const [index, amount] of amounts.entries()) {
      await home.brings(aRow({ amount, providerTransactionId: `p${index}` }))
    }
    const tea = { amount: 500n, name: 'TEA', originalName: 'TEA', displayName: 'TEA' }
    const [row] = await home.brings(aRow(tea))
    await assign(home, row?.transactionId, { spendingId: other.spendingId })
    if (isDeleted) await home.loses('p0')
    const read = async () => [await home.all(), await held(), await home.balances()]
    const before = await read()
    const actions = { refundSpendingId: other.spendingId }
    const [first = ''] = await write({ conditions: { direction: 'in' }, actions })
    await rulingOf(booted)(home).client.orderRules({ ruleIds: [first, later] }, home.as)
    const ruleRunId = await run()
    const moved = (await home.all()).filter(({ amount }) => amount < 0n)
    expect(moved).toMatchObject([actions])
    expect(await undoes(ruleRunId)).toMatchObject({ undoneCount: 1n, keptCount: 0n })
    expect(await read()).toEqual(before)
  },
)

test('an undo gives what a former envelope holds, if it holds less by now', async () => {
  const { home, food, other, write, change, run, undoes, held } = await createWorld()
  const [ruleId] = await write({ actions: envelope(food) })
  await home.brings(aRow({ amount: 1_500n }))
  await change(ruleId, envelope(other))
  const ruleRunId = await run()
  const { bankAccountId, envelopes, as } = home
  await envelopes.transfer({ bankAccountId, fromSpendingId: food.spendingId, amount: 700n }, as)
  await undoes(ruleRunId)
  const { spendingId } = food
  expect(await home.all()).toMatchObject([{ spendingId, spendingAmount: 300n }])
  expect(await held()).toEqual([0n, 9_000n])
})

test.each([
  [[0, 1, 2], false],
  [[0, 2, 1], true],
  [[1, 0, 2], true],
  [[1, 2, 0], false],
  [[2, 0, 1], true],
  [[2, 1, 0], false],
])('runs undone in the order %j leave the values before them (edited: %s)', async (order, is) => {
  const { home, food, other, write, change, run, undoes, held } = await createWorld()
  const third = await envelopeOf(home, 5_000n)
  // The first and the last run set the same values.
  const values = [other, third, other].map((one) => {
    return { name: one === third ? 'Two' : 'One', tags: [`${one === third}`], ...envelope(one) }
  })
  const zero = { name: 'Zero', tags: ['zero'], ...envelope(food) }
  const [ruleId] = await write({ actions: zero })
  const [row] = await home.brings(aRow({ amount: 1_500n }))
  const before = await home.all()
  const runs: (string | undefined)[] = []
  for (const actions of values) {
    await change(ruleId, actions)
    runs.push(await run())
  }
  if (is) await assign(home, row?.transactionId, { name: 'Mine' })
  const left = new Set(order)
  for (const index of order) {
    await undoes(runs[index])
    left.delete(index)
    const { name, spendingId } = values[Math.max(...left)] ?? zero
    // Runs add their tags to those before; the last one finds its own.
    const tags = ['zero', 'false', 'true'].slice(0, left.has(1) ? 3 : left.has(0) ? 2 : 1)
    const expected = { name: is ? 'Mine' : name, tags, spendingId }
    expect(await home.all()).toMatchObject([expected])
  }
  expect(await home.all()).toEqual(is ? [{ ...before[0], name: 'Mine' }] : before)
  expect([...(await held()), await third.held()]).toEqual([0n, 9_000n, 5_000n])
})
