import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { RuleSuggestionService } from '@coffer/proto/ledger/v1/rule_suggestion'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { refusals } from '../outcomes.ts'
import { rulingOf } from '../rules/ruling.ts'
import { aRow, assign, envelopeOf, type SyncedHome, syncedHome } from '../syncs/syncing.ts'

const booted = auditing(booting([ledger]))
const rulesOf = rulingOf(booted)

/** Imports payments with these texts, one a day; returns their IDs. */
async function pays(home: SyncedHome, ...texts: string[]): Promise<string[]> {
  const rows = texts.map((text, index) =>
    aRow({
      originalName: text,
      name: text,
      displayName: text,
      merchantName: '',
      date: `2026-03-${String(index + 1).padStart(2, '0')}`,
    }),
  )
  return (await home.brings(...rows)).map(({ transactionId }) => transactionId)
}

const lidl = (...numbers: number[]) =>
  numbers.map((n) => `CARD PURCHASE ${1230 + n} LIDL DIENSTL. BERLIN 0${n}.05 REF 9${n}`)

async function lidlHome() {
  const home = await syncedHome(booted)
  const client = booted.client('ledger', RuleSuggestionService)
  const ids = await pays(home, ...lidl(1, 2, 3, 4), 'REWE 1', 'REWE 2')
  const { bankAccountId, as } = home
  const list = async () => (await client.listRuleSuggestions({}, as)).suggestions
  const of = async (transactionId = '') =>
    (await client.getRuleSuggestion({ bankAccountId, transactionId }, as)).suggestion
  return { home, ids, client, list, of, as }
}

test('similar texts suggest a name; an edit by hand adds its envelope and its tags', async () => {
  const { home, ids, client, list, of, as } = await lidlHome()
  const [first, second] = ids
  const [named, ...others] = await list()
  expect(others).toEqual([])
  expect(named).toMatchObject({
    text: '4 transactions like “LIDL”: the name “Lidl” for all?',
    conditions: { originalName: { kind: 'pattern', text: '* LIDL *' } },
    actions: { name: 'Lidl' },
    matchedCount: 4,
    changedCount: 4,
    editedCount: 0,
  })
  expect(named?.untouched.map((one) => one.transactionId)).toEqual(ids.slice(0, 4).toReversed())
  const { spendingId } = await envelopeOf(home, 5_000n)
  await assign(home, first, { spendingId, addTags: ['food'] })
  const [sorted] = await list()
  expect(sorted).toMatchObject({
    text: expect.stringContaining('the name “Lidl”, the envelope, and the tags “food” for all?'),
    conditions: { bankAccountId: home.bankAccountId },
    actions: { name: 'Lidl', spendingId, tags: ['food'] },
    matchedCount: 4,
    changedCount: 4,
    editedCount: 1,
  })
  expect(await of(second)).toEqual(sorted)
  expect(await of(ids[5])).toBeUndefined()
  // Edits that contradict each other suggest nothing.
  await assign(home, second, { spendingId: (await envelopeOf(home, 100n)).spendingId })
  expect(await list()).toEqual([])
  const { ruleSuggestionId = '' } = sorted ?? {}
  const refused = client.acceptRuleSuggestion({ ruleSuggestionId }, as)
  expect(await refusals(refused)).toEqual(['NotFound'])
})

test('accepted twice at once, a suggestion makes one rule, and is suggested no more', async () => {
  const { home, client, list, as } = await lidlHome()
  const { write, order, client: rules } = rulesOf(home)
  // A rule that sets another field takes nothing from the suggestion.
  await write({
    actions: { notes: 'shop' },
    conditions: { originalName: { kind: 'contains', text: 'lidl' } },
  })
  const [{ ruleSuggestionId = '' } = {}] = await list()
  const accept = () => client.acceptRuleSuggestion({ ruleSuggestionId, name: 'Shops' }, as)
  const accepted = await Promise.all([accept(), accept()])
  const again = await accept()
  const ids = [...accepted, again].map(({ rule }) => rule?.ruleId)
  expect(new Set(ids).size).toBe(1)
  expect((await order()).slice(1)).toEqual([ids[0]])
  expect(again.rule).toMatchObject({ name: 'Shops', actions: { name: 'Lidl' } })
  expect(await list()).toEqual([])
  await rules.deleteRule({ ruleId: ids[0] ?? '' }, as)
  expect(await list()).toMatchObject([{ ruleSuggestionId }])
})

test('a dismissal holds when more transactions come; other accounts see nothing', async () => {
  const { home, client, list, as } = await lidlHome()
  const [{ ruleSuggestionId = '' } = {}] = await list()
  const stranger = booted.as(newId('acct'))
  expect((await client.listRuleSuggestions({}, stranger)).suggestions).toEqual([])
  const refused = [
    client.acceptRuleSuggestion({ ruleSuggestionId }, stranger),
    client.dismissRuleSuggestion({ ruleSuggestionId }, stranger),
  ]
  expect(await refusals(...refused)).toEqual(['NotFound', 'NotFound'])
  const dismiss = () => client.dismissRuleSuggestion({ ruleSuggestionId }, as)
  await Promise.all([dismiss(), dismiss()])
  await dismiss()
  expect(await list()).toEqual([])
  await pays(home, ...lidl(5, 6), 'REWE 3')
  expect(await list()).toMatchObject([{ actions: { name: 'Rewe' } }])
  const refusedAgain = client.acceptRuleSuggestion({ ruleSuggestionId }, as)
  expect(await refusals(refusedAgain)).toEqual(['NotFound'])
})

test.each([
  // The shared part of the texts is another one.
  [
    ['NETFLIX.COM 1', 'NETFLIX.COM 2', 'NETFLIX.COM 3'],
    ['Netflix International 4', 'NETFLIX.COM 5'],
  ],
  [['ORION GARTEN 1', 'ORION GARTEN 2', 'ORION FENSTER 3'], ['ORION GARTEN 4']],
  // The last word becomes a place, as it is behind four names.
  [
    ['KOLO NORDEND', 'KOLO NORDEND 2', 'KOLO NORDEND 3'],
    ['KOLO GARTEN', 'PENNY NORDEND', 'REWE NORDEND', 'NETTO NORDEND', 'ALDI NORDEND'],
  ],
])('a dismissal of %j holds when %j come, until an edit by hand', async (first, later) => {
  const home = await syncedHome(booted)
  const client = booted.client('ledger', RuleSuggestionService)
  const list = async () => (await client.listRuleSuggestions({}, home.as)).suggestions
  const [id] = await pays(home, ...first)
  const [one, ...others] = await list()
  expect([one?.matchedCount, others]).toEqual([3, []])
  await client.dismissRuleSuggestion({ ruleSuggestionId: one?.ruleSuggestionId ?? '' }, home.as)
  await pays(home, ...later)
  expect(await list()).toEqual([])
  await assign(home, id, { name: 'Mine' })
  expect(await list()).toMatchObject([{ name: 'Mine' }])
})
