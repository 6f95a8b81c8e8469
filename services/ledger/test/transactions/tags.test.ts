import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { foldText } from '@coffer/kit/values/fold'
import { newId } from '@coffer/kit/values/id'
import { BulkChangeService } from '@coffer/proto/ledger/v1/bulk_change'
import { TagService } from '@coffer/proto/ledger/v1/tag'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { problems, refusals } from '../outcomes.ts'
import { namesOf } from './searched-household.ts'

const booted = auditing(booting([ledger]))
const date = timestampFromDate(new Date('2026-03-02T00:00:00Z'))
const paths = (...names: string[]) => ({ updateMask: { paths: names } })

/** Creates a household with one transaction for each list of tags; they are named a, b, …. */
async function withTags(...lists: string[][]) {
  const home = await createHousehold(booted)
  const { as, bankAccountId, transactions } = home
  const create = async (rows: { name: string; tags: string[] }[]) => {
    const made = rows.map((one) => ({ ...one, amount: 5n, date }))
    const request = { bankAccountId, transactions: made }
    const { results } = await transactions.createTransactions(request, as)
    return results.map(({ result }) =>
      result.case === 'transaction' ? result.value.transactionId : '',
    )
  }
  const rows = lists.map((tags, at) => ({ name: String.fromCharCode(97 + at), tags }))
  const ids = await create(rows)
  const client = booted.client('ledger', TagService)
  return {
    ...home,
    ids,
    create,
    keys: ids.map((transactionId) => ({ bankAccountId, transactionId })),
    list: async (by = as) => {
      const { tags } = await client.listTags({}, by)
      return tags.map(({ name, count }) => [name, Number(count)])
    },
    rename: (tags: string[], name?: string) =>
      client.renameTags({ tags, ...(name === undefined ? {} : { name }) }, as),
    tagsOf: async (transactionId = '') => {
      const found = await transactions.getTransaction({ bankAccountId, transactionId }, as)
      return found.transaction?.tags
    },
  }
}

test('tags are set with a transaction, changed, found and counted by their fold', async () => {
  const home = await withTags(['Café', 'cafe', 'Trip'], ['café'], [], ['CAFÉ', 'trip'])
  const { as, keys, transactions } = home
  expect(await home.tagsOf(home.ids[0])).toEqual(['Café', 'Trip'])
  expect(await namesOf(home, { tag: 'cafe' })).toEqual(expect.arrayContaining(['a', 'b', 'd']))
  expect(await namesOf(home, { tag: 'tri' })).toEqual([])
  expect(await namesOf(home, { bankAccountId: '', tag: 'TRIP', search: 'd' })).toEqual(['d'])
  expect(await home.list()).toEqual([
    ['CAFÉ', 3],
    ['Trip', 2],
  ])
  const add = { ...keys[2], addTags: ['x'], ...paths('add_tags') }
  const both = { ...keys[2], addTags: ['y'], ...paths('add_tags') }
  await Promise.all([
    transactions.updateTransaction(add, as),
    transactions.updateTransaction(both, as),
  ])
  expect(new Set(await home.tagsOf(home.ids[2]))).toEqual(new Set(['x', 'y']))
  await transactions.updateTransaction({ ...keys[2], ...paths('tags') }, as)
  expect(await home.tagsOf(home.ids[2])).toEqual([])
  const mixed = { ...add, tags: ['z'], ...paths('tags', 'add_tags') }
  expect(await problems(transactions.updateTransaction(mixed, as))).toEqual({
    tags: expect.stringMatching(/^does not go with/),
  })
  await transactions.deleteTransaction(
    { bankAccountId: '', transactionId: '', ...keys[3], soft: true },
    as,
  )
  expect(await home.list()).toContainEqual(['Trip', 1])
  expect(await home.list(booted.as(newId('acct')))).toEqual([])
})

test('a bulk change of tags is undone as one; too many tags refuse that row alone', async () => {
  const full = Array.from({ length: 20 }, (_, at) => `t${at}`)
  const home = await withTags(['old'], full)
  const { as, bankAccountId, ids } = home
  const bulk = booted.client('ledger', BulkChangeService)
  const set = { addTags: ['new'], removeTags: ['OLD'], ...paths('add_tags', 'remove_tags') }
  const changed = await bulk.changeTransactions({ bankAccountId, items: ids, set }, as)
  expect(changed.results.map(({ result }) => result.case)).toEqual(['transaction', 'refused'])
  expect([await home.tagsOf(ids[0]), await home.tagsOf(ids[1])]).toEqual([['new'], full])
  await bulk.undoOperation({ operationId: changed.operationId ?? '' }, as)
  expect(await home.tagsOf(ids[0])).toEqual(['old'])
})

test('renaming merges tags, removes them, and leaves other tags and accounts alone', async () => {
  const home = await withTags(['Tea', 'a'], ['coffee', 'Tea'], ['b'], ['TEA'])
  const { as, keys, transactions } = home
  await transactions.deleteTransaction(
    { bankAccountId: '', transactionId: '', ...keys[3], soft: true },
    as,
  )
  const other = await withTags(['tea'])
  // Tags that have the new name in another spelling get it too.
  await home.create([{ name: 'x', tags: ['drinks'] }])
  expect(await home.rename(['tea', 'Coffee'], 'Drinks')).toMatchObject({
    changedCount: 4,
    isComplete: true,
  })
  const tags = await Promise.all(home.ids.map(home.tagsOf))
  expect(tags).toEqual([['Drinks', 'a'], ['Drinks'], ['b'], ['Drinks']])
  expect(await home.rename(['tea', 'Coffee'], 'Drinks')).toMatchObject({ changedCount: 0 })
  expect(await home.rename(['drinks'], 'DRINKS')).toMatchObject({ changedCount: 4 })
  expect(await home.rename(['b', 'a'])).toMatchObject({ changedCount: 2, isComplete: true })
  expect(await home.list()).toEqual([['DRINKS', 3]])
  expect(await other.list()).toEqual([['tea', 1]])
  const bad = [home.rename([], 'x'), home.rename(Array(21).fill('a')), home.rename(['a'], '\u0301')]
  expect(new Set(await refusals(...bad))).toEqual(new Set(['InvalidArgument']))
})

test('renaming ends after 2,000 transactions, and a repetition continues', async () => {
  const home = await withTags()
  for (let page = 0; page < 5; page += 1) {
    await home.create(Array.from({ length: 410 }, () => ({ name: 'x', tags: ['old'] })))
  }
  // Two at once: each transaction is renamed by one of them.
  const [one, two] = await Promise.all([home.rename(['old'], 'new'), home.rename(['OLD'], 'new')])
  expect(one.changedCount + two.changedCount).toBeGreaterThanOrEqual(2_000)
  expect(one.changedCount + two.changedCount).toBeLessThanOrEqual(2_050)
  while (!(await home.rename(['old'], 'new')).isComplete);
  expect(await home.list()).toEqual([['new', 2_050]])
})

test('the fold of the code is that of the database', async () => {
  const texts = [
    'Café',
    'STRASSE',
    'Straße',
    'Úvěry',
    'μισθος',
    'ΜΙΣΘΌΣ',
    '①２',
    'Łódź',
    'ĐẠT',
    'ıİ',
    'Œuvre Æ',
    'Àâäç ÉÈÊË Ç',
    'Ŗíñ Çà Œ',
    'ΐ ß́ ﬁ́',
    'Ñandú',
    'ﬁn',
    'שָׁלוֹם',
    'مُحَمَّد',
    'ёлка',
    '한국',
    'ｶﾞ',
    '\u0301',
  ]
  const { pool } = booted.database('ledger')
  const rows = await pool.anyFirst(sql.type(z.object({ folded: z.string() }))`
    SELECT folded_text(sent) AS folded FROM unnest(${sql.array(texts, 'text')}) WITH ORDINALITY
      AS t(sent, at) ORDER BY at`)
  expect(texts.map(foldText)).toEqual(rows)
})
