import { booting } from '@coffer/host/testing/booting'
import { expect, test } from '@jest/globals'
import { ledger } from '../../../src/service.ts'
import { auditing } from '../../auditing.ts'
import { problems } from '../../outcomes.ts'
import { grouping, type Mapping } from './grouping.ts'

const booted = auditing(booting([ledger]))
const { groups, household, send, preview, typed, ended } = grouping(booted)

test('a file of several accounts joins the rows that its preview offers for each', async () => {
  const home = await household()
  const { as, bankAccountId, second, mappings } = home
  expect(await preview(home, [])).toMatchObject({ status: 'preview', statements: [{}, {}] })
  const own = await typed(home, { bankAccountId, name: 'row a', amount: 1000n })
  const other = await typed(home, { bankAccountId: second, name: 'row c', amount: -500n })
  const shown = await preview(home, mappings)
  expect(shown).toMatchObject({
    status: 'preview',
    statements: [
      { upload: { status: 'preview', preview: { newCount: 2n, currentBalance: 47000n } } },
      { upload: { bankAccountId: second, preview: { rows: [{ uploadIdentifier: 'c' }] } } },
    ],
  })
  const offers = shown.statements.map(({ upload }) =>
    upload!.preview!.joinOffers.map(({ uploadIdentifier, transactionId }) => {
      return { uploadIdentifier, transactionId }
    }),
  )
  expect(offers).toEqual([
    [{ uploadIdentifier: 'a', transactionId: own }],
    [{ uploadIdentifier: 'c', transactionId: other }],
  ])
  expect((await groups().listUploadGroups({ limit: 9 }, as)).uploadGroups).toEqual([])
  const [one, two] = mappings.map((mapping, at) => ({
    ...mapping,
    joins: { joins: offers[at] ?? [] },
  })) as [Mapping, Mapping]
  const many = Array.from({ length: 501 }, () => offers[0]![0]!)
  const tooMany = send(home, [{ ...one, joins: { joins: many } }])
  expect(await problems(tooMany)).toEqual({
    statements: expect.stringContaining('at most 500 joins in all'),
  })
  const { uploadGroupId } = await send(home, [one])
  await ended(home, uploadGroupId)
  await groups().updateUploadGroup({ uploadGroupId, statements: [one, two] }, as)
  expect(await ended(home, uploadGroupId)).toMatchObject({
    status: 'complete',
    statements: [
      { upload: { importedCount: 1n, joinedCount: 1n, joins: [{ result: 'joined' }] } },
      { upload: { importedCount: 0n, joinedCount: 1n, knownCount: 0n, unjoinedCount: 0n } },
    ],
  })
  await groups().undoUploadGroup({ uploadGroupId }, as)
  expect((await preview(home, mappings)).statements).toEqual(
    shown.statements.map((before) => ({
      ...before,
      upload: expect.objectContaining({ preview: before.upload!.preview }),
    })),
  )
})
