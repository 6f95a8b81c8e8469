import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { expect, test } from '@jest/globals'
import { zipSync } from 'fflate'
import { ledger } from '../../src/service.ts'
import { listed } from '../outcomes.ts'
import { partsOf } from './file-parts.ts'
import { fixture } from './importing.ts'

const booted = booting([ledger])

/** Uploads a file (its name in `test/data`, or its text), and waits until its import ends. */
async function uploaded(home: Household, name: string) {
  const { uploads, bankAccountId, as } = home
  const content = /\s/.test(name) ? new TextEncoder().encode(name) : await fixture(name)
  const file = { name: name.slice(-20), contentType: 'application/octet-stream', content }
  const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  const key = { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
  return eventually(
    async () => (await uploads.getUpload(key, as)).upload,
    (one) => one?.status === 'complete' || one?.status === 'failed',
  )
}

const ofx = (...rows: string[]) => {
  const list = rows.map((row) => `<STMTTRN>${row}</STMTTRN>`).join('\n')
  return `<OFX>\n<STMTRS><CURDEF>USD<BANKTRANLIST>${list}</BANKTRANLIST></STMTRS></OFX>`
}

test.each([
  ['bank.qif', 5n, ''],
  [ofx('<FITID>1<DTPOSTED>20260110<TRNAMT>-1<NAME>A', '<TRNAMT>x'), 1n, ''],
  ['camt-053-v2.xml', null, 'The file is in EUR, the account in USD: choose another account'],
  ['several-accounts.ofx', null, 'The file holds 2 accounts: state statement, the one to read'],
])('a preview of %s says what would be done, and stores nothing', async (name, count, fault) => {
  const home = await createHousehold(booted)
  const { uploads, bankAccountId, as } = home
  const content = /\s/.test(name) ? new TextEncoder().encode(name) : await fixture(name)
  const file = { name: name.slice(-20), content }
  const preview = async () => {
    const parts = partsOf({ bankAccountId, ...file, preview: true })
    return (await uploads.createUpload(parts, as)).upload
  }
  const before = await preview()
  if (count === null) {
    expect(before).toMatchObject({ status: 'failed', error: fault })
  } else {
    const shown = { rowCount: count, newCount: count, duplicateCount: 0n }
    expect(before).toMatchObject({ status: 'preview', preview: shown })
    expect(before?.preview?.rows[0]?.effect).toMatch(/^[\d.]+ (leaves|comes into) the account$/)
    await uploaded(home, name)
    const after = (await preview())?.preview
    expect(after).toMatchObject({ newCount: 0n, duplicateCount: count })
    expect(after?.rows[0]).toMatchObject({ duplicate: true, effect: 'left out: stored already' })
  }
  const listedUploads = await uploads.listUploads({ bankAccountId, limit: 10 }, as)
  expect(listedUploads.uploads).toHaveLength(count === null ? 0 : 1)
})

test('a preview names the bank account that has the rows of the file already', async () => {
  const home = await createHousehold(booted)
  const { uploads, accounts, linkId, bankAccountId, as } = home
  await uploaded(home, 'bank.qif')
  const other = await accounts.createBankAccount({ linkId, name: 'Savings' }, as)
  const savings = other.bankAccount?.bankAccountId ?? ''
  const file = { name: 'bank.qif', content: await fixture('bank.qif') }
  const misfitsIn = async (into: string) => {
    const parts = partsOf({ bankAccountId: into, ...file, preview: true })
    return (await uploads.createUpload(parts, as)).upload?.preview?.misfits
  }
  expect(await misfitsIn(bankAccountId)).toEqual([])
  expect(await misfitsIn(savings)).toMatchObject([{ reason: 'rows', bankAccountId, rowCount: 5n }])
})

test.each([
  [
    {},
    [
      ['encoding', 'windows-1252', 'guessed by few letters: state encoding if names look wrong'],
      ['dayFirst', 'false', "1/31'24 has the month first"],
      ['decimalMark', ',', '-1.234,50 has the decimal mark ,'],
    ],
  ],
  [
    { encoding: 'windows-1250', dayFirst: false, decimalMark: ',' },
    [
      ['encoding', 'windows-1250', 'stated'],
      ['dayFirst', 'false', 'stated'],
      ['decimalMark', ',', 'stated'],
    ],
  ],
])('a preview by the choices %j names all of them and why', async (choices, named) => {
  const { uploads, bankAccountId, as } = await createHousehold(booted)
  const text = "!Type:Bank\nD1/31'24\nT-1.234,50\nPCaf\xe9\n^\n"
  const file = { name: 'a.qif', content: Buffer.from(text, 'latin1') }
  const parts = partsOf({ bankAccountId, ...file, choices, preview: true })
  const { upload } = await uploads.createUpload(parts, as)
  const made = upload?.preview?.choices.map((one) => [one.choice, one.value, one.reason])
  expect(made).toEqual(named)
})

test('QIF', async () => {
  const home = await createHousehold(booted)
  const done = await uploaded(home, 'bank.qif')
  expect(done).toMatchObject({ status: 'complete', importedCount: 5n, skippedCount: 0n })
  expect(done?.note).toContain('states no balances')
  const again = await uploaded(home, 'bank.qif')
  expect(again).toMatchObject({ status: 'complete', importedCount: 0n, skippedCount: 5n })
  expect((await listed(home)).map((one) => one.amount)).toEqual([
    4500n,
    -250000n,
    123456n,
    475n,
    475n,
  ])
})

test('CAMT.053, in the currency of the account only', async () => {
  const dollars = await createHousehold(booted)
  expect(await uploaded(dollars, 'camt-053-v2.xml')).toMatchObject({
    status: 'failed',
    error: 'The file is in EUR, the account in USD: choose another account',
  })
  const euros = await createHousehold(booted, { currency: 'EUR' })
  expect(await uploaded(euros, 'camt-053-v2.xml')).toMatchObject({
    status: 'complete',
    importedCount: 7n,
    skippedCount: 1n,
  })
  expect(await euros.balances()).toMatchObject({ current: 306450n, available: 300000n })
  expect(await listed(euros)).toHaveLength(7)
})

const booking = (id: string, day: string, text: string) => {
  const [amount, name] = text.split(' ')
  return `<FITID>${id}<DTPOSTED>202601${day}<TRNAMT>-${amount}<NAME>${name}`
}
const shop = booking('77', '10', '1 Shop')
const fee = booking('77', '10', '2 Fee')
const later = booking('77', '25', '3 Shop')
const taxi = booking('77', '17', '1 Taxi')
const corrected = `${booking('78', '11', '9 Shop')}<CORRECTFITID>77<CORRECTACTION>REPLACE`

// The counts of imported, known and skipped rows of each file, one after the other.
test.each<[string, string[][], string[]]>([
  [
    'used again by another file',
    [[shop], [fee], [shop], [fee]],
    ['1 0 0', '1 0 0', '0 1 0', '0 1 0'],
  ],
  ['used again in another order', [[shop], [fee, shop], [fee]], ['1 0 0', '1 1 0', '0 1 0']],
  [
    'used again with a text on another day',
    [[shop], [later], [later, shop]],
    ['1 0 0', '1 0 0', '0 2 0'],
  ],
  [
    'used again with one text, for another day or amount',
    [[shop], [booking('77', '25', '1 Shop')], [booking('77', '10', '3 Shop')]],
    ['1 0 0', '1 0 0', '1 0 0'],
  ],
  ['used again within a week', [[shop], [taxi], [taxi, shop]], ['1 0 0', '1 0 0', '0 2 0']],
  ['whose day alone moves', [[shop], [booking('77', '17', '1 Shop')]], ['1 0 0', '0 1 0']],
  ['whose text alone changes', [[shop], [booking('77', '10', '1 SHOP')]], ['1 0 0', '0 1 0']],
  ['that corrects a row of a former file', [[shop], [corrected]], ['1 0 0', '0 0 1']],
  ['that corrects a row that is not there', [[corrected], [corrected]], ['1 0 0', '0 1 0']],
  [
    'of zeros',
    [[booking('0000', '10', '1 Shop')], [booking('0000', '10', '1 Shop')]],
    ['1 0 0', '0 1 0'],
  ],
])('a FITID %s', async (_name, files, expected) => {
  const home = await createHousehold(booted)
  const counts: string[] = []
  for (const rows of files) {
    const { importedCount, knownCount, skipped = [] } = (await uploaded(home, ofx(...rows))) ?? {}
    counts.push(`${importedCount} ${knownCount} ${skipped.length}`)
  }
  expect(counts).toEqual(expected)
})

test('a row under a FITID that is used again stays known after an undo', async () => {
  const home = await createHousehold(booted)
  const first = await uploaded(home, ofx(shop))
  await uploaded(home, ofx(fee))
  const { bankAccountId, as } = home
  const transactionUploadId = first?.transactionUploadId ?? ''
  await home.uploads.undoUpload({ bankAccountId, transactionUploadId }, as)
  expect(await uploaded(home, ofx(fee, shop))).toMatchObject({ importedCount: 1n, knownCount: 1n })
  expect((await listed(home)).map(({ amount }) => amount).toSorted()).toEqual([100n, 200n])
})

/** Returns a CAMT.053 or CAMT.054 file with a booking of 30.00 and its fee under one reference. */
function camt(message: string, part: string, details: string): string {
  const entry = (amount: string, within = '') =>
    `<Ntry><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-01-20</Dt>` +
    `</BookgDt><AcctSvcrRef>R</AcctSvcrRef>${within}</Ntry>`
  const account = '<Acct><Id><IBAN>X</IBAN></Id><Ccy>USD</Ccy></Acct>'
  const entries = `${entry('30.00', `<NtryDtls>${details}</NtryDtls>`)}${entry('0.30')}`
  return `<Document><${message}><${part}>${account}${entries}</${part}></${message}></Document>`
}

test('a CAMT reference that another booking of a former file holds makes a row', async () => {
  const home = await createHousehold(booted)
  const file = camt('BkToCstmrStmt', 'Stmt', '')
  const other = file.replaceAll('30.00', '77.00').replaceAll('0.30', '0.70')
  const counts: unknown[] = []
  for (const one of [file, other, file, other]) {
    counts.push((await uploaded(home, one))?.importedCount)
  }
  expect(counts).toEqual([2n, 2n, 0n, 0n])
})

test('a notification and a statement that shows its booking as one row are joined', async () => {
  const parts = '<TxDtls><Amt>10.00</Amt></TxDtls><TxDtls><Amt>20.00</Amt></TxDtls>'
  const notification = camt('BkToCstmrDbtCdtNtfctn', 'Ntfctn', parts)
  const statement = camt('BkToCstmrStmt', 'Stmt', '')
  const amounts = async (...files: string[]) => {
    const home = await createHousehold(booted)
    const counts = []
    for (const file of [...files, ...files]) {
      const done = await uploaded(home, file)
      counts.push([done?.importedCount, done?.skippedCount])
    }
    return [counts, (await listed(home)).map(({ amount }) => amount)]
  }
  expect(await amounts(notification, statement)).toEqual([
    [
      [3n, 0n],
      [0n, 2n],
      [0n, 3n],
      [0n, 2n],
    ],
    [1000n, 2000n, 30n],
  ])
  expect(await amounts(statement, notification)).toEqual([
    [
      [2n, 0n],
      [0n, 3n],
      [0n, 2n],
      [0n, 3n],
    ],
    [3000n, 30n],
  ])
})

test('MT940', async () => {
  const home = await createHousehold(booted, { currency: 'EUR' })
  const entries = ':61:2601200120D10,00NMSC\n:86:Shop\n:61:2601200120X10,00NMSC'
  const file = `:20:S\n:25:1\n:60F:C260101EUR100,00\n${entries}\n:62F:C260131EUR90,00\n-\n`
  const done = await uploaded(home, file)
  expect(done).toMatchObject({ status: 'complete', importedCount: 1n, skippedCount: 1n })
  expect(await home.balances()).toMatchObject({ current: 9000n })
})

test('a ZIP archive, and an export by the name of its bank account', async () => {
  const home = await createHousehold(booted, { currency: 'EUR' })
  const { uploads, bankAccountId, as } = home
  const send = async (content: Uint8Array) => {
    const file = { bankAccountId, name: 'a', content }
    const { upload } = await uploads.createUpload(partsOf(file), as)
    const key = { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
    return eventually(
      async () => (await uploads.getUpload(key, as)).upload,
      (one) => one?.status === 'complete' || one?.status === 'failed',
    )
  }
  const camt = await fixture('camt-053-v2.xml')
  expect(await send(zipSync({ 'a.xml': camt, 'b.xml': camt }))).toMatchObject({
    status: 'complete',
    importedCount: 7n,
  })
  const { bankAccount } = await home.accounts.getBankAccount({ bankAccountId }, as)
  const balances = { currentBalance: 100, availableBalance: 100, limitBalance: 0, deletedAt: null }
  const exported = ['A', 'B'].map((id) => ({
    bankAccountId: id,
    name: id === 'A' ? bankAccount?.name : 'Other',
    currency: 'EUR',
    ...balances,
  }))
  const text = { name: null, originalName: 'SHOP', merchantName: null, originalMerchantName: '' }
  const row = { ...text, bankAccountId: 'A', transactionId: 'T', uploadIdentifier: null, amount: 5 }
  const transactions = [{ ...row, date: '2026-02-01T06:00:00Z', isPending: false, deletedAt: null }]
  const file = {
    format: 1,
    exportedAt: '2026-02-01T12:00:00Z',
    me: { user: { account: { timezone: 'America/Chicago' } } },
    services: { ledger: { bankAccounts: exported, transactions } },
    complete: true,
  }
  expect(await send(new TextEncoder().encode(JSON.stringify(file)))).toMatchObject({
    status: 'complete',
    importedCount: 1n,
  })
  expect(await home.balances()).toMatchObject({ current: 100n })
})
