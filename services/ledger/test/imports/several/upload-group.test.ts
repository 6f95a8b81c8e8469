import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import type { Household } from '@coffer/host/testing/household'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { problems } from '../../outcomes.ts'
import { storedFiles } from '../stored-files.ts'
import { statementOf } from '../uploading.ts'
import { file, fileOf, grouping, type Mapping, partsOf } from './grouping.ts'

const booted = auditing(booting([ledger]))

const { groups, household, send, typed, ended } = grouping(booted)

async function balancesOf({ accounts, as }: Household, bankAccountIds: string[]) {
  const read = async (bankAccountId: string) =>
    (await accounts.getBalances({ bankAccountId }, as)).balances?.current
  return Promise.all(bankAccountIds.map(read))
}

describe('a file of several accounts', () => {
  test('is imported into all bank accounts, shown in parts and undone as one', async () => {
    const home = await household()
    const { as, bankAccountId, second, mappings } = home
    const both = [bankAccountId, second]
    const made = await send(home, mappings)
    expect(made).toMatchObject({
      status: 'processing',
      file: { name: 'all.ofx', kind: 'transactions/uploads' },
      statements: [
        {
          statement: '1001',
          currency: 'USD',
          rowCount: 2n,
          balance: 47000n,
          upload: { bankAccountId },
        },
        { statement: '2002', upload: { bankAccountId: second, uploadGroupId: made.uploadGroupId } },
      ],
    })
    const done = await ended(home, made.uploadGroupId)
    expect(done).toMatchObject({
      status: 'complete',
      statements: [
        { upload: { status: 'complete', rowCount: 2n, importedCount: 2n, knownCount: 0n } },
        { upload: { status: 'complete', rowCount: 1n, importedCount: 1n, skipped: [] } },
      ],
    })
    expect(await balancesOf(home, both)).toEqual([47000n, 7500n])
    const listed = await groups().listUploadGroups({ limit: 1 }, as)
    expect(listed).toMatchObject({
      hasMore: false,
      uploadGroups: [{ statements: [{ upload: { isUndoable: true } }, {}] }],
    })
    const key = { uploadGroupId: made.uploadGroupId }
    const undone = await Promise.all([1, 2, 3].map(() => groups().undoUploadGroup(key, as)))
    for (const { parts } of undone) {
      expect(parts.map(({ balance }) => balance?.current)).toEqual([50000n, 50000n])
    }
    expect(await balancesOf(home, both)).toEqual([50000n, 50000n])
    expect(await ended(home, made.uploadGroupId)).toMatchObject({ undoneAt: expect.anything() })
  })

  test('without a mapping only lists them, and PATCHes at once import each once', async () => {
    const home = await household()
    const { as, mappings } = home
    const { uploadGroupId, status, statements } = await send(home)
    expect([status, statements.map((one) => one.upload)]).toEqual([
      'mapping',
      [undefined, undefined],
    ])
    await expect(groups().undoUploadGroup({ uploadGroupId }, as)).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
    const change = { uploadGroupId, statements: mappings }
    await Promise.all([1, 2, 3].map(() => groups().updateUploadGroup(change, as)))
    const done = await ended(home, uploadGroupId)
    expect(done.statements.map(({ upload }) => upload?.importedCount)).toEqual([2n, 1n])
    for (const bankAccountId of [home.bankAccountId, home.second]) {
      expect(
        (await home.uploads.listUploads({ bankAccountId, limit: 9 }, as)).uploads,
      ).toHaveLength(1)
    }
    expect((await groups().updateUploadGroup(change, as)).uploadGroup).toEqual(done)
    // The files of the parts are removed, that of the group is kept for other accounts.
    await eventually(
      () => storedFiles(booted.dataDir, home.accountId),
      (files) => files.length === 1,
    )
  })

  test('keeps the parts that came in beside a failed one, which a choice repeats', async () => {
    const home = await household()
    const { as, bankAccountId } = home
    const [one, two] = home.mappings as [Mapping, Mapping]
    const text = fileOf({
      '1001': statementOf({ a: '-1,400' }),
      '2002': statementOf({ c: '5.00' }),
    })
    const transactionId = await typed(home, { bankAccountId, name: 'row a', amount: 140_000n })
    const joins = { joins: [{ uploadIdentifier: 'a', transactionId }] }
    const { uploadGroupId } = await send(home, [{ ...one, joins }, two], text)
    const failed = await ended(home, uploadGroupId)
    expect(failed).toMatchObject({
      status: 'failed',
      statements: [
        { upload: { status: 'failed', asks: 'decimalMark', error: expect.anything() } },
        { upload: { status: 'complete', importedCount: 1n } },
      ],
    })
    const change = { uploadGroupId, choices: { decimalMark: '.' } }
    const answers = await Promise.allSettled(
      [1, 2].map(() => groups().updateUploadGroup(change, as)),
    )
    expect(answers.map((one) => one.status)).toContain('fulfilled')
    const done = await ended(home, uploadGroupId)
    expect(done).toMatchObject({
      status: 'complete',
      statements: [{ upload: { importedCount: 0n, joinedCount: 1n, unjoinedCount: 0n } }, {}],
    })
    const [part] = done.statements
    expect(part?.upload?.transactionUploadId).not.toBe(
      failed.statements[0]?.upload?.transactionUploadId,
    )
  })

  test('undoes nothing if one bank account refuses', async () => {
    const home = await household()
    const { accounts, as, second, mappings } = home
    const { uploadGroupId } = await send(home, mappings)
    await ended(home, uploadGroupId)
    await accounts.archiveBankAccount({ bankAccountId: second }, as)
    await expect(groups().undoUploadGroup({ uploadGroupId }, as)).rejects.toMatchObject({
      code: Code.FailedPrecondition,
    })
    expect(await balancesOf(home, [home.bankAccountId])).toEqual([47000n])
  })

  test('gives up its stored file for another one, once its imports are complete', async () => {
    const home = await household()
    const isStored = async (uploadGroupId: string) =>
      (await ended(home, uploadGroupId)).file?.deletedAt === undefined
    const { uploadGroupId: first } = await send(home, home.mappings)
    await ended(home, first)
    const others: string[] = []
    // Nine without an import, and then one too many.
    for (let at = 0; at < 9; at += 1) others.push((await send(home)).uploadGroupId)
    expect(await isStored(first)).toBe(true)
    others.push((await send(home)).uploadGroupId)
    expect(await isStored(first)).toBe(false)
    await expect(send(home)).rejects.toThrow('at most 10 files of several accounts')
    for (const one of others) expect(await isStored(one)).toBe(true)
  })

  test('with a repeated Idempotency-Key is one upload', async () => {
    const home = await household()
    const keyed = { ...home.as, headers: { [headers.idempotencyKey]: 'k' } }
    const replies = await Promise.all(
      [1, 2, 3].map(() => groups().createUploadGroup(partsOf(file, home.mappings), keyed)),
    )
    expect(new Set(replies.map((one) => one.uploadGroup?.uploadGroupId)).size).toBe(1)
    expect((await groups().listUploadGroups({ limit: 9 }, home.as)).uploadGroups).toHaveLength(1)
  })

  test('is refused by field, and nothing is stored', async () => {
    const home = await household({ currency: 'CAD' })
    const stranger = await household()
    const [one, two] = home.mappings as [Mapping, Mapping]
    const is = (index: number, field: keyof Mapping, text: string) => ({
      statements: { [index]: { [field]: expect.stringContaining(text) } },
    })
    const [other, unknown] = [stranger.second, newId('bac')]
    const cases: [Mapping[], object][] = [
      [[one, { ...two, statement: '3003' }], is(1, 'statement', 'use "1001", "2002"')],
      [[one, { ...one, bankAccountId: unknown }], is(1, 'statement', 'twice')],
      [[one, { ...two, bankAccountId: one.bankAccountId }], is(1, 'bankAccountId', 'twice')],
      [[{ ...one, bankAccountId: other }], is(0, 'bankAccountId', 'must be a bank account')],
      [[{ ...one, bankAccountId: unknown }], is(0, 'bankAccountId', 'must be a bank account')],
      [[one, two], is(1, 'bankAccountId', 'is in CAD, the account of the file in USD')],
    ]
    const { uploadGroupId } = await send(home)
    for (const [statements, fault] of cases) {
      const made = groups().createUploadGroup(partsOf(file, statements), home.as)
      expect(await problems(made)).toMatchObject(fault)
      const changed = groups().updateUploadGroup({ uploadGroupId, statements }, home.as)
      expect(await problems(changed)).toMatchObject(fault)
    }
    const csv = groups().createUploadGroup(partsOf('a,b\n1,2', [], { name: 'a.csv' }), home.as)
    await expect(csv).rejects.toMatchObject({ code: Code.InvalidArgument })
    const cut = groups().createUploadGroup(partsOf('<OFX><STMTRS>', []), home.as)
    await expect(cut).rejects.toMatchObject({ code: Code.InvalidArgument })
    const theirs = { uploadGroupId, statements: stranger.mappings }
    await expect(groups().updateUploadGroup(theirs, stranger.as)).rejects.toMatchObject({
      code: Code.NotFound,
    })
    const Count = z.object({ count: z.bigint() })
    const { pool } = booted.database('ledger')
    const count = await pool.oneFirst(sql.type(Count)`
      SELECT count(*) AS count FROM uploads WHERE account_id = ${home.accountId}`)
    expect(count).toBe(0n)
    expect(await storedFiles(booted.dataDir, home.accountId)).toHaveLength(1)
  })

  test('takes a statement without currency in that of its bank account', async () => {
    const home = await household({ currency: 'CAD' })
    const text = fileOf({
      '1001': statementOf({ a: '-10.00' }),
      '2002': statementOf({ c: '5.00' }).replace('<CURDEF>USD', ''),
    })
    const { uploadGroupId } = await send(home, home.mappings, text)
    expect(await ended(home, uploadGroupId)).toMatchObject({ status: 'complete' })
  })
})
