import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { listTold, toldBy } from '@coffer/host/testing/told'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { createFundedHousehold } from '../funded-household.ts'
import { importFile, opening, statementOf, undo } from '../imports/uploading.ts'

const booted = booting([ledger])
const date = timestampFromDate(new Date('2026-03-02T06:00:00Z'))

test('each save tells what it changed for clients, without a change nothing', async () => {
  const home = await createFundedHousehold(booted)
  const { accountId, bankAccountId: bank, as, transactions, envelopes, accounts } = home
  const { expense, goal, links, linkId } = home
  const database = booted.database('ledger')
  const told = (work: () => Promise<unknown>) => toldBy(database, accountId, work)
  let transactionId = ''
  const create = (body: object) => async () => {
    const sent = { bankAccountId: bank, amount: 500n, date, name: 'Tea', ...body }
    const { transaction } = await transactions.createTransaction(sent, as)
    transactionId = transaction?.transactionId ?? ''
  }
  const patch = (fields: object, paths: string[]) => () => {
    const key = { bankAccountId: bank, transactionId, updateMask: { paths } }
    return transactions.updateTransaction({ ...key, ...fields }, as)
  }
  const key = () => ({ bankAccountId: bank, transactionId })
  const bought = await told(create({}))
  expect(bought).toEqual([`transaction.created ${transactionId}`])
  const updated = `transaction.updated ${transactionId}`
  const spent = [`spending.updated ${expense}`, `bank_account.updated ${bank}`]
  const { transfer, closeEnvelope, openEnvelope } = envelopes
  const steps: [work: () => Promise<unknown>, told: string[]][] = [
    [patch({ spendingId: expense }, ['spending_id']), [updated, ...spent]],
    [patch({ name: 'Green tea' }, ['name']), [updated]],
    // Changes nothing.
    [patch({ name: 'Green tea' }, ['name']), []],
    // Its envelope keeps the money.
    [
      () => transactions.deleteTransaction({ ...key(), soft: true }, as),
      [`transaction.deleted ${transactionId}`],
    ],
    [() => transactions.restoreTransaction(key(), as), [`transaction.restored ${transactionId}`]],
    [
      () => transfer({ bankAccountId: bank, toSpendingId: goal, amount: 1n }, as),
      [`spending.updated ${goal}`, `bank_account.updated ${bank}`],
    ],
    [() => openEnvelope({ ...key(), spendingId: newId('spnd'), spendingType: 'goal' }, as), []],
    [
      () => closeEnvelope({ bankAccountId: bank, spendingId: expense }, as),
      [updated, `spending.deleted ${expense}`, `bank_account.updated ${bank}`],
    ],
    [
      () => accounts.archiveBankAccount({ bankAccountId: bank }, as),
      [`bank_account.archived ${bank}`],
    ],
    [
      () => accounts.restoreBankAccount({ bankAccountId: bank }, as),
      [`bank_account.restored ${bank}`],
    ],
    [
      () => links.deleteLink({ linkId }, as),
      [`link.deleted ${linkId}`, `bank_account.deleted ${bank}`],
    ],
  ]
  for (const [work, expected] of steps) expect(await told(work)).toEqual(expected)
  const all = await listTold(database, accountId)
  const versions = all.filter(({ objectId }) => objectId === bank).map(({ version }) => version)
  expect(versions).toEqual(versions.toSorted((one, other) => (one < other ? -1 : 1)))
  expect(new Set(all.map(({ actor }) => actor))).toEqual(new Set(['user']))
})

test('requests that share a save are told each with its cause', async () => {
  const { accountId, bankAccountId, as, transactions } = await createHousehold(booted)
  const count = 24
  const made = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const actor = index % 2 === 0 ? ('key' as const) : ('session' as const)
      const caller = booted.as(accountId, { kind: actor })
      const sent = { [headers.requestId]: `r-${index}` }
      const options = { ...caller, timeoutMs: 20_000, headers: sent }
      const body = { bankAccountId, amount: 100n, date, name: 'Tea', adjustsBalance: true }
      const { transaction } = await transactions.createTransaction(body, options)
      const told = actor === 'key' ? 'key' : 'user'
      return `${told} r-${index} ${transaction?.transactionId}`
    }),
  )
  expect(await transactions.listTransactions({ bankAccountId, limit: 50 }, as)).toBeDefined()
  const told = await listTold(booted.database('ledger'), accountId)
  const created = told.filter(({ type }) => type === 'transaction.created')
  const causes = created.map(({ actor, causeId, objectId }) => `${actor} ${causeId} ${objectId}`)
  expect(causes.toSorted()).toEqual(made.toSorted())
})

test('the rows of a file are told when they are imported and when that is undone', async () => {
  const home = await createHousehold(booted, opening)
  const database = booted.database('ledger')
  const rows = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`${index}`, '-1.00']))
  const { transactionUploadId } = await importFile(home, statementOf(rows, { ledger: '470.00' }))
  const imported = await listTold(database, home.accountId)
  const created = imported.filter(({ type }) => type === 'transaction.created')
  expect(new Set(created.map(({ objectId }) => objectId)).size).toBe(250)
  expect(new Set(created.map(({ causeId }) => causeId))).toEqual(new Set([transactionUploadId]))
  expect(created[0]?.actor).toBe('job')
  const ofUpload = imported.filter(({ objectId }) => objectId === transactionUploadId)
  // It starts and ends; its file may be removed by now.
  const types = ofUpload.map(({ type }) => type)
  expect(types.slice(0, 3)).toEqual(['upload.created', 'upload.updated', 'upload.updated'])
  const undone = await toldBy(database, home.accountId, () => undo(home, transactionUploadId))
  const deleted = created.map(({ objectId }) => `transaction.deleted ${objectId}`)
  const account = `bank_account.updated ${home.bankAccountId}`
  const upload = `upload.updated ${transactionUploadId}`
  expect(new Set(undone)).toEqual(new Set([...deleted, upload, account]))
})
