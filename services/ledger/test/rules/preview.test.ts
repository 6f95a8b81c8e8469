import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { newId } from '@coffer/kit/values/id'
import { RuleService } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { partsOf } from '../imports/file-parts.ts'
import { headers, importing } from '../imports/importing.ts'
import { importFile, statementOf } from '../imports/uploading.ts'
import { refusals } from '../outcomes.ts'
import { aRow, assign, syncedHome } from '../syncs/syncing.ts'
import { deli, rulingOf } from './ruling.ts'

const booted = auditing(booting([ledger]))

test('a preview says what changes, and what stays and why; it stores nothing', async () => {
  const home = await syncedHome(booted)
  const { as, bankAccountId, envelopes } = home
  const spendingId = newId('spnd')
  await envelopes.openEnvelope({ bankAccountId, spendingId, spendingType: 'expense' }, as)
  const tea = { originalName: 'TEA', name: 'TEA', displayName: 'TEA' }
  const [plain, edited, deposit] = await home.brings(
    // A name that only the record of the provider has.
    aRow({ displayName: 'DELI 0042 CHICAGO', merchantName: '', date: '2026-03-03' }),
    aRow({ date: '2026-03-02' }),
    aRow({ amount: -100n, date: '2026-03-01' }),
    aRow(tea),
  )
  await assign(home, edited?.transactionId, { name: 'Mine', spendingId })
  const client = booted.client('ledger', RuleService)
  const actions = { name: 'Lunch', tags: ['food'], spendingId, refundSpendingId: spendingId }
  const before = await home.all()
  const found = await client.previewRule({ conditions: deli, actions }, as)
  const counts = {
    examinedCount: 4,
    isComplete: true,
    matchedCount: 3,
    changedCount: 3,
    keptCount: 1,
  }
  expect(found).toMatchObject(counts)
  const texts = found.transactions.map((one) => [
    one.transactionId,
    ...one.fields.map(({ text }) => text),
  ])
  const [tags, envelope] = ['Tags become “food”', 'Goes into the envelope']
  expect(texts).toEqual([
    [plain?.transactionId, 'Name “DELI 0042 CHICAGO” becomes “Lunch”', tags, envelope],
    [edited?.transactionId, 'Name stays: its user has set it', tags],
    [deposit?.transactionId, 'Name “Deli” becomes “Lunch”', tags, envelope],
  ])
  expect(found.transactions[1]?.fields.map(({ reason }) => reason)).toEqual([
    'setByUser',
    undefined,
  ])
  expect(await home.all()).toEqual(before)
  const stranger = await client.previewRule(
    { conditions: deli, actions: { name: 'x' } },
    booted.as(newId('acct')),
  )
  expect(stranger).toMatchObject({ examinedCount: 0, matchedCount: 0, isComplete: true })
  const other = await createHousehold(booted, { accountId: home.accountId })
  const foreign = newId('spnd')
  const opened = { bankAccountId: other.bankAccountId, spendingId: foreign, spendingType: 'goal' }
  await envelopes.openEnvelope(opened, as)
  const away = await client.previewRule({ conditions: deli, actions: { spendingId: foreign } }, as)
  expect(away).toMatchObject({ changedCount: 0, keptCount: 2 })
  expect(away.transactions.flatMap(({ fields }) => fields.map(({ text }) => text))).toEqual([
    'Envelope stays: not one of this bank account, or closed',
    'Envelope stays: its user has set it',
  ])
  expect(away.transactions[0]?.fields[0]?.reason).toBe('envelopeAway')
  const bad = [
    { conditions: deli },
    { position: 1 },
    { ruleId: newId('rule') },
    { conditions: deli, actions, position: 0 },
  ]
  const refused = await refusals(...bad.map((one) => client.previewRule(one, as)))
  expect(new Set(refused)).toEqual(new Set(['InvalidArgument']))
})

test('a preview is of all rules in order, or of a draft at its position', async () => {
  const home = await syncedHome(booted)
  const { as } = home
  const [row] = await home.brings(aRow(), aRow({ originalName: 'TEA', name: 'TEA' }))
  const { client, write } = rulingOf(booted)(home)
  await write(
    { actions: { name: 'Lunch', tags: ['food'] } },
    { actions: { name: 'Second', notes: 'By the second' } },
  )
  const actions = { name: 'Draft', notes: 'By the draft', tags: ['new'] }
  const texts = async (request: object) => {
    const { transactions, ...counts } = await client.previewRule(request, as)
    expect(counts).toMatchObject({ examinedCount: 2, matchedCount: 1, changedCount: 1 })
    expect(transactions.map(({ transactionId }) => transactionId)).toEqual([row?.transactionId])
    return transactions.flatMap(({ fields }) => fields.map(({ text }) => text))
  }
  const lunch = ['Name “Deli” becomes “Lunch”', 'Note becomes “By the second”']
  expect(await texts({})).toEqual([...lunch, 'Tags become “food”'])
  const draft = { conditions: deli, actions }
  const [name, notes] = ['Name “Deli” becomes “Draft”', 'Note becomes “By the draft”']
  const earlier = 'Name stays: an earlier rule decides'
  expect(await texts(draft)).toEqual([name, notes, 'Tags become “new”'])
  expect(await texts({ ...draft, position: 1 })).toEqual([name, notes, 'Tags become “new”'])
  // A run of the rule alone adds no tags of others.
  const tags = 'Tags become “new”'
  expect(await texts({ ...draft, position: 2 })).toEqual([notes, tags, earlier])
  const behind = 'Note stays: an earlier rule decides'
  expect(await texts({ ...draft, position: 500 })).toEqual([tags, earlier, behind])
  const { transactions } = await client.previewRule({ ...draft, position: 500 }, as)
  const reasons = transactions.flatMap(({ fields }) => fields.map(({ reason }) => reason))
  expect(reasons).toEqual([undefined, 'earlierRule', 'earlierRule'])
})

test('a preview of a changed rule leaves its stored self out', async () => {
  const home = await syncedHome(booted)
  const { as } = home
  const { client, write } = rulingOf(booted)(home)
  const [ruleId = '', last = ''] = await write(
    { actions: { name: 'Lunch', tags: ['food'] } },
    { actions: { notes: 'Last' } },
  )
  await home.brings(aRow())
  const actions = { name: 'Deli', notes: 'First', tags: ['new'] }
  const texts = async (request: object) => {
    const draft = { conditions: deli, actions, ...request }
    const { transactions } = await client.previewRule(draft, as)
    return transactions.flatMap(({ fields }) => fields.map(({ text }) => text))
  }
  const name = 'Name “Lunch” becomes “Deli”'
  const [notes, tags] = ['Note “Last” becomes “First”', 'Tags “food” become “food, new”']
  expect(await texts({ ruleId })).toEqual([name, notes, tags])
  const behind = [name, tags, 'Note stays: an earlier rule decides']
  expect(await texts({ ruleId, position: 2 })).toEqual(behind)
  const ofLast = ['Note “Last” becomes “First”', 'Tags “food” become “food, new”']
  expect(await texts({ ruleId: last })).toEqual([...ofLast, 'Name stays: an earlier rule decides'])
  const draft = { conditions: deli, actions, ruleId }
  const missing = await refusals(
    client.previewRule({ ...draft, ruleId: newId('rule') }, as),
    client.previewRule(draft, booted.as(newId('acct'))),
  )
  expect(missing).toEqual(['NotFound', 'NotFound'])
})

test('a preview is complete if it examines the last of 20,000 transactions', async () => {
  const home = await createHousehold(booted)
  await importFile(home, statementOf({ a: '-10.00' }))
  await rulingOf(booted)(home).write({ conditions: { direction: 'out' }, actions: { name: 'x' } })
  const { client } = rulingOf(booted)(home)
  const fill = (from: number, to: number) =>
    booted.database('ledger').pool.query(sql.unsafe`
      INSERT INTO transactions SELECT copy.*
      FROM (SELECT * FROM transactions WHERE account_id = ${home.accountId} LIMIT 1) AS one,
        generate_series(${from}::int, ${to}::int) AS n,
        jsonb_populate_record(NULL::transactions, to_jsonb(one) || jsonb_build_object(
          'transaction_id', 'txn_' || n, 'upload_identifier', n::text)) AS copy`)
  await fill(2, 20_000)
  const counts = { examinedCount: 20_000, matchedCount: 20_000 }
  expect(await client.previewRule({}, home.as)).toMatchObject({ ...counts, isComplete: true })
  await fill(20_001, 20_001)
  expect(await client.previewRule({}, home.as)).toMatchObject({ ...counts, isComplete: false })
})

test('the preview of a file shows what rules would do with its new rows', async () => {
  const home = await createHousehold(booted)
  const { bankAccountId, uploads, as } = home
  const known = statementOf({ a: '-10.00' })
  await importFile(home, known)
  const conditions = { originalName: { kind: 'startsWith', text: 'row' } }
  await rulingOf(booted)(home).write({ conditions, actions: { name: 'Shop', merchantName: 'M' } })
  const content = new TextEncoder().encode(statementOf({ a: '-10.00', b: '-20.00' }))
  const file = { name: 'a.ofx', contentType: 'application/octet-stream', content, preview: true }
  const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  const texts = upload?.preview?.rows.map(({ fields }) => fields.map(({ text }) => text))
  expect(texts).toEqual([[], ['Name “ROW b” becomes “Shop”', 'Merchant becomes “M”']])
  const csv = `${headers.join()}\nx,01/10/2026,Row x,Mill,-1.00,,Posted\n`
  const { preview } = await importing(booted).previewed(home, new TextEncoder().encode(csv))
  expect(preview?.rows.map(({ fields }) => fields.map(({ text }) => text))).toEqual([
    ['Name “Mill” becomes “Shop”', 'Merchant becomes “M”'],
  ])
})
