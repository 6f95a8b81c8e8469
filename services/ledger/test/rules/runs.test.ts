import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { createMoneyWriter } from '../../src/money/writer.service.ts'
import { ruleRunActivities } from '../../src/rules/rule-run.activities.ts'
import { ledger } from '../../src/service.ts'
import { isRenamed } from '../../src/syncs/sync-join.ts'
import { auditing } from '../auditing.ts'
import { importFile, statementOf } from '../imports/uploading.ts'
import { problems, refusals } from '../outcomes.ts'
import { aRow, assign, envelopeOf, syncedHome } from '../syncs/syncing.ts'
import { runSweep } from '../tenancy/sweeping.ts'
import { deli, rulingOf, runningOf } from './ruling.ts'

const booted = auditing(booting([ledger]))
const rulesOf = rulingOf(booted)
const runsOf = runningOf(booted)

test('a run tidies all but edits; its undo puts back what still has its value', async () => {
  const home = await syncedHome(booted)
  const food = await envelopeOf(home, 2_000n)
  const other = await envelopeOf(home, 5_000n)
  const [plain, edited, late, refund, tea] = await home.brings(
    aRow({ amount: 1_500n, date: '2026-03-03' }),
    aRow({ amount: 100n, date: '2026-03-01' }),
    aRow({ amount: 1_000n, date: '2026-03-04' }),
    aRow({ amount: -300n, date: '2026-03-02' }),
    aRow({ originalName: 'TEA', name: 'TEA', displayName: 'TEA' }),
  )
  await assign(home, edited?.transactionId, { name: 'Mine', spendingId: other.spendingId })
  const ids = [edited, refund, tea].map((one) => one?.transactionId)
  const before = await Promise.all(ids.map(home.one))
  const named = (await home.one(late?.transactionId))?.name
  const { write, client: rules } = rulesOf(home)
  const { spendingId } = food
  const actions = { name: 'Lunch', tags: ['food'], spendingId, refundSpendingId: spendingId }
  const [ruleId = ''] = await write({ actions }, { actions: { name: 'Second', notes: 'noted' } })
  const { client, ended, start, undo } = runsOf(home)
  const started = await start()
  expect(started).toMatchObject({ status: 'running', matchedCount: 0n })
  // A run applies the rules that it began with.
  await rules.updateRule({ ruleId, actions: { name: 'Changed' } }, home.as)
  const run = await ended(started?.ruleRunId)
  const counts = { matchedCount: 4n, changedCount: 4n, leftAloneCount: 1n }
  expect(run).toMatchObject({ status: 'complete', ...counts })
  const tidied = { name: 'Lunch', notes: 'noted', tags: ['food'] }
  expect(await home.one(plain?.transactionId)).toMatchObject({ ...tidied, spendingAmount: 1_500n })
  expect(await home.one(late?.transactionId)).toMatchObject({ ...tidied, spendingAmount: 500n })
  expect(await home.one(refund?.transactionId)).toMatchObject({ ...tidied, refundAmount: 300n })
  const kept = { name: 'Mine', spendingId: other.spendingId, notes: 'noted' }
  expect(await home.one(edited?.transactionId)).toMatchObject(kept)
  expect(await home.one(tea?.transactionId)).toMatchObject({ name: 'TEA', tags: [] })
  expect(await food.held()).toBe(300n)
  const again = await ended((await start({ ruleIds: [ruleId] }))?.ruleRunId)
  expect(again).toMatchObject({ status: 'complete', matchedCount: 4n, changedCount: 3n })
  expect((await client.listRuleRuns({ limit: 1 }, home.as)).hasMore).toBe(true)
  // An edit to the value of the rule is an edit, and so is another envelope.
  await assign(home, plain?.transactionId, { name: 'Changed' })
  await assign(home, late?.transactionId, { spendingId: other.spendingId })
  const undone = await ended((await undo(again?.ruleRunId))?.ruleRunId)
  expect(undone).toMatchObject({ status: 'undone', undoneCount: 2n, keptCount: 1n })
  const first = await ended((await undo(run?.ruleRunId))?.ruleRunId)
  expect(first).toMatchObject({ status: 'undone', undoneCount: 4n, keptCount: 2n })
  expect(await undo(run?.ruleRunId)).toMatchObject({ status: 'undone', undoneCount: 4n })
  const changed = { name: 'Changed', notes: undefined, tags: [], spendingId: undefined }
  expect(await home.one(plain?.transactionId)).toMatchObject(changed)
  const moved = { name: named, spendingId: other.spendingId }
  expect(await home.one(late?.transactionId)).toMatchObject(moved)
  expect(await Promise.all(ids.map(home.one))).toEqual(before)
  expect(await food.held()).toBe(2_000n)
})

test('chosen rules set no field that an earlier rule decides, and add their tags', async () => {
  const home = await syncedHome(booted)
  const [food, other] = [await envelopeOf(home, 2_000n), await envelopeOf(home, 5_000n)]
  const { write, client } = rulesOf(home)
  const first = { name: 'Lunch', tags: ['food'], spendingId: food.spendingId }
  const [firstId] = await write({ actions: first })
  const [row] = await home.brings(aRow({ amount: 700n }))
  const { spendingId } = other
  const actions = { name: 'Second', notes: 'noted', tags: ['new', 'Food'], spendingId }
  const draft = { conditions: deli, actions, position: 2 }
  const { transactions, ...previewed } = await client.previewRule(draft, home.as)
  expect(previewed).toMatchObject({ matchedCount: 1, changedCount: 1, keptCount: 1 })
  const tags = ['food', 'new']
  expect(transactions[0]?.fields.map(({ field, isChanged, to }) => [field, isChanged, to])).toEqual(
    [
      ['notes', true, 'noted'],
      ['tags', true, 'food, new'],
      ['name', false, 'Second'],
      ['spendingId', false, spendingId],
    ],
  )
  const [ruleId = ''] = await write({ actions }, { actions: { tags: ['late'], name: 'Third' } })
  const { start, ended, undo } = runsOf(home)
  const runs: string[] = []
  const run = async (request = {}) => {
    const found = await ended((await start(request))?.ruleRunId)
    runs.push(found?.ruleRunId ?? '')
    return found
  }
  const before = await home.all()
  const counts = { matchedCount: 1n, changedCount: 1n, leftAloneCount: 1n }
  const ruleIds = [ruleId]
  expect(await run({ ruleIds })).toMatchObject({ ruleIds, ...counts })
  const decided = { name: 'Lunch', notes: 'noted', tags, spendingId: food.spendingId }
  expect(await home.all()).toMatchObject([decided])
  expect([await food.held(), await other.held()]).toEqual([1_300n, 5_000n])
  expect(await run({ ruleIds })).toMatchObject({ ...counts, changedCount: 0n })
  expect(await run()).toMatchObject({ ...counts, leftAloneCount: 0n })
  expect(await home.all()).toMatchObject([{ ...decided, tags: [...tags, 'late'] }])
  for (const one of [{ ruleIds }, {}]) expect(await run(one)).toMatchObject({ changedCount: 0n })
  const of = { bankAccountId: home.bankAccountId, transactionId: row?.transactionId ?? '' }
  const { transaction } = await home.transactions.getTransaction(
    { ...of, includesProvenance: true },
    home.as,
  )
  const rulesBy = transaction?.provenance.map(({ field, ruleId: by }) => [field, by])
  expect(Object.fromEntries(rulesBy ?? [])).toMatchObject({ tags: firstId, notes: ruleId })
  for (const one of runs.toReversed()) await ended((await undo(one))?.ruleRunId)
  expect(await home.all()).toEqual(before)
})

test('runs add tags behind those of a transaction, and drop none', async () => {
  const home = await syncedHome(booted)
  const { write, client } = rulesOf(home)
  const many = Array.from({ length: 20 }, (_, index) => `t${index}`)
  const [row, full] = await home.brings(aRow(), aRow({ originalName: 'DELI FULL' }))
  const [former = ''] = await write({ actions: { tags: ['food'], notes: 'Food' } })
  const { start, ended } = runsOf(home)
  const run = async (...ruleIds: string[]) => ended((await start({ ruleIds }))?.ruleRunId)
  const tagsOf = async (one = row) => (await home.one(one?.transactionId))?.tags
  await run(former)
  await client.deleteRule({ ruleId: former }, home.as)
  const ofFull = { originalName: { kind: 'contains', text: 'full' } }
  const [first = '', second = '', filling = ''] = await write(
    { actions: { tags: ['b'] } },
    { actions: { tags: ['a', 'b'] } },
    { conditions: ofFull, actions: { tags: many } },
  )
  for (const changedCount of [2n, 0n]) expect(await run(second)).toMatchObject({ changedCount })
  expect(await run(first)).toMatchObject({ changedCount: 0n })
  expect(await tagsOf()).toEqual(['food', 'a', 'b'])
  for (const changedCount of [1n, 0n]) expect(await run(filling)).toMatchObject({ changedCount })
  const filled = ['food', 'a', 'b', ...many.slice(0, 17)]
  expect(await tagsOf(full)).toEqual(filled)
  const [late = ''] = await write({ actions: { tags: ['late', 'later'] } })
  await run(late)
  expect([await tagsOf(), await tagsOf(full)]).toEqual([
    ['food', 'a', 'b', 'late', 'later'],
    filled,
  ])
})

test('pages of a run in several processes at once count each row once', async () => {
  const home = await createHousehold(booted)
  const rows = Array.from({ length: 1_234 }, (_, index) => [`r${index}`, `-${index + 1}.00`])
  const { importedCount } = await importFile(home, statementOf(Object.fromEntries(rows)))
  expect(importedCount).toBe(1_234n)
  await rulesOf(home).write({
    conditions: { originalName: { kind: 'contains', text: 'row r1' } },
    actions: { tags: ['one'], merchantName: 'One' },
  })
  const matching = rows.filter(([id]) => id?.startsWith('r1')).length
  const { start, ended, undo } = runsOf(home)
  const database = booted.database('ledger')
  const clock = () => new Date()
  const deps = { database, clock, isRenamed, ...createMoneyWriter({ database, clock }) }
  const { continueRuleRun, failRuleRun } = ruleRunActivities(deps)
  const range = { from: '2026-01-01', to: '2026-12-31' }
  const { ruleRunId = '' } = (await start({ bankAccountId: home.bankAccountId, ...range })) ?? {}
  const key = { accountId: home.accountId, ruleRunId }
  const together = () => Promise.all([1, 2, 3].map(() => continueRuleRun(key)))
  await together()
  const run = await ended(ruleRunId)
  const count = BigInt(matching)
  expect(run).toMatchObject({ matchedCount: count, changedCount: count, leftAloneCount: 0n })
  await undo(ruleRunId)
  await together()
  await failRuleRun(key)
  expect(await ended(ruleRunId)).toMatchObject({ status: 'undone', undoneCount: count })
  const of = { bankAccountId: home.bankAccountId, limit: 100, offset: 0 }
  const { transactions } = await home.transactions.listTransactions(of, home.as)
  expect(transactions.filter(({ tags }) => tags.length > 0)).toEqual([])
})

test('a preview of a bank account or of days has the numbers of a run of them', async () => {
  const home = await syncedHome(booted)
  const dates = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']
  await home.brings(...dates.map((date) => aRow({ date })))
  const other = await createHousehold(booted, { accountId: home.accountId })
  await importFile(other, statementOf({ a: '-10.00' }))
  const { client, write } = rulesOf(home)
  await write({ conditions: { direction: 'out' }, actions: { name: 'Out' } })
  const { start, ended } = runsOf(home)
  const { bankAccountId } = home
  const [from, to] = ['2026-03-02', '2026-03-03']
  const scopes = [{ bankAccountId, from, to }, { bankAccountId, to }, { bankAccountId }, {}]
  const changed = []
  for (const scope of scopes) {
    const { matchedCount, changedCount } = await client.previewRule(scope, home.as)
    const counts = { matchedCount: BigInt(matchedCount), changedCount: BigInt(changedCount) }
    expect(await ended((await start(scope))?.ruleRunId)).toMatchObject(counts)
    changed.push(changedCount)
  }
  expect(changed).toEqual([2, 1, 1, 1])
})

test('a run is of its account alone, and removed after 30 days', async () => {
  const home = await syncedHome(booted)
  const [row] = await home.brings(aRow())
  const { client, ended, start } = runsOf(home)
  expect(await refusals(client.createRuleRun({}, home.as))).toEqual(['InvalidArgument'])
  await rulesOf(home).write({ actions: { name: 'Lunch' } })
  const { ruleRunId = '' } = (await ended((await start())?.ruleRunId)) ?? {}
  const stranger = booted.as(newId('acct'))
  const [ruleId = ''] = await rulesOf(home).order()
  expect(
    await refusals(
      client.getRuleRun({ ruleRunId }, stranger),
      client.undoRuleRun({ ruleRunId }, stranger),
      client.createRuleRun({ ruleIds: [ruleId] }, stranger),
      client.createRuleRun({ bankAccountId: newId('bac') }, home.as),
      rulesOf(home).client.previewRule({ bankAccountId: home.bankAccountId }, stranger),
      client.createRuleRun({ from: '2026-02-30' }, home.as),
      rulesOf(home).client.previewRule({ from: '2026-03-02', to: '2026-03-01' }, home.as),
    ),
  ).toEqual([...Array<string>(5).fill('NotFound'), 'InvalidArgument', 'InvalidArgument'])
  for (const ruleIds of [[ruleId, ruleId], Array<string>(501).fill(ruleId)]) {
    const found = await problems(client.createRuleRun({ ruleIds }, home.as))
    expect(found).toEqual({ ruleIds: expect.any(String) })
  }
  expect((await client.listRuleRuns({ limit: 5 }, stranger)).runs).toEqual([])
  const { pool } = booted.database('ledger')
  // As if the event of an undo had been lost.
  await pool.query(sql.unsafe`
    UPDATE rule_runs SET status = 'undoing', created_at = now() - interval '1 hour'
    WHERE rule_run_id = ${ruleRunId}`)
  await runSweep(booted)
  expect(await ended(ruleRunId)).toMatchObject({ status: 'undone', undoneCount: 1n })
  const second = (await ended((await start())?.ruleRunId))?.ruleRunId ?? ''
  await pool.query(sql.unsafe`
    UPDATE rule_runs SET created_at = now() - interval '31 days'
    WHERE account_id = ${home.accountId}`)
  await runSweep(booted)
  const gone = [ruleRunId, second].map((id) => client.getRuleRun({ ruleRunId: id }, home.as))
  expect(await refusals(...gone)).toEqual(['NotFound', 'NotFound'])
  expect(await home.one(row?.transactionId)).toMatchObject({ name: 'Lunch' })
})

test('a deleted or archived bank account ends or skips its part of a run', async () => {
  const home = await syncedHome(booted)
  const [row] = await home.brings(aRow())
  await rulesOf(home).write({ conditions: deli, actions: { name: 'Lunch' } })
  const { start, ended, undo } = runsOf(home)
  const { ruleRunId } = (await ended((await start())?.ruleRunId)) ?? {}
  await booted.database('ledger').pool.query(sql.unsafe`
    UPDATE bank_accounts SET deleted_at = now() WHERE account_id = ${home.accountId}`)
  expect(await ended((await start())?.ruleRunId)).toMatchObject({ matchedCount: 0n })
  const { bankAccountId, as } = home
  await expect(start({ bankAccountId })).rejects.toThrow('is archived')
  const { client } = rulesOf(home)
  await expect(client.previewRule({ bankAccountId }, as)).rejects.toThrow('is archived')
  const previewed = await client.previewRule({}, as)
  expect(previewed).toMatchObject({ examinedCount: 1, matchedCount: 0 })
  await undo(ruleRunId)
  expect(await ended(ruleRunId)).toMatchObject({ undoneCount: 0n, keptCount: 1n })
  expect(await home.one(row?.transactionId)).toMatchObject({ name: 'Lunch' })
})
