import { sql } from 'slonik'
import type { Json } from '../harness/person.ts'
import type { Household } from './household.ts'
import { until } from './recorder.ts'
import { readsProvenance, ruleForFile, suggestedRules } from './rules.ts'
import type { Ada } from './sign-in.ts'
import type { World } from './world.ts'

/** Imports a CSV file, uploads a file of a bank, and undoes the upload. */
export async function uploads(world: World, ada: Ada, { path }: Household): Promise<void> {
  const { key } = ada
  await imports(world, ada, path)
  await world.pass(60)
  const choices = 'encoding=utf-8&decimalMark=.&dayFirst=false&statement=bank'
  const { body: upload } = await key('POST', `${path}/transactions/upload?${choices}`, {
    form: formWith('february.qif', '!Type:Bank\nD02/13/2026\nT-4.75\nPCafe Elan\n^\n'),
  })
  const uploaded = `${path}/transactions/upload/${upload.transactionUploadId}`
  await until(key, uploaded, ({ status }) => status === 'complete')
  await key('GET', uploaded)
  const isCleanedUp = (all: Json) => all.every(({ file }: Json) => file.deletedAt !== null)
  await until(key, `${path}/transactions/upload`, isCleanedUp)
  await key('GET', `${path}/transactions/upload`)
  await refusesUndo(world, ada, uploaded)
  await key('DELETE', uploaded)
  await holdsSeveral(world, ada, path)
  await key('POST', `${path}/transactions/upload?preview=true`, {
    form: formWith(
      'march.qif',
      '!Type:Bank\nD03/13/2026\nT-4.75\nPCafe Elan\n^\nD03/14/2026\nTx\n^\n' +
        'D02/04/2026\nT-64.20\nPPower & Light\n^\n',
    ),
    name: 'preview',
    summary: 'What the import would do',
  })
  const row = '<STMTTRN><DTPOSTED>20260313<TRNAMT>-4.75<FITID>1<NAME>CAFE ELAN</STMTTRN>'
  await key('POST', `${path}/transactions/upload?preview=true`, {
    form: formWith('card.ofx', `<OFX><CCSTMTRS><CURDEF>USD<BANKTRANLIST>${row}</CCSTMTRS></OFX>`),
    name: 'misfit',
    summary: 'A file of a card, for a checking account',
  })
  const { body: broken } = await key('POST', `${path}/transactions/upload`, {
    form: formWith('april.qif', '!Type:Bank\nD04/13/2026\nTfree\nPCafe Elan\n^\n'),
    isShown: false,
  })
  const failed = `${path}/transactions/upload/${broken.transactionUploadId}`
  await until(key, failed, ({ status }) => status === 'failed')
  await key('GET', failed, { name: 'failed', summary: 'A file that cannot be read' })
  await asks(key, path)
  await suggests(key, path)
}

/** Uploads a file whose days have two meanings, and joins its row to a stored transaction. */
async function asks(key: Ada['key'], path: string): Promise<void> {
  const text = '!Type:Bank\nD02/03/2026\nT-64.20\nPPower & Light\n^\n'
  const send = (query: string) =>
    key('POST', `${path}/transactions/upload${query}`, {
      form: formWith('unclear.qif', text),
      isShown: false,
    })
  const { body: read } = await send('?preview=true&dayFirst=false')
  const [{ uploadIdentifier, transactionId }] = read.preview.joinOffers
  const { body: unclear } = await send('')
  const asking = `${path}/transactions/upload/${unclear.transactionUploadId}`
  await until(key, asking, ({ status }) => status === 'failed')
  await key('GET', asking, { name: 'asks', summary: 'A file whose days have two meanings' })
  const joins = [{ uploadIdentifier, transactionId }]
  await key('PATCH', asking, { body: { dayFirst: false, joins } })
  // It is read again: before anything that is listed afterwards.
  await until(key, asking, ({ status }) => status === 'complete')
  await key('GET', asking, { name: 'joined', summary: 'A row that is joined to a transaction' })
}

/** Uploads payments that suggest two rules, and undoes the upload. */
async function suggests(key: Ada['key'], path: string): Promise<void> {
  const payments = ['CAFE ELAN', 'CAFE ELAN', 'CAFE ELAN', 'CAFE ELAN'].concat([
    'MARINA PARKING',
    'MARINA PARKING',
    'MARINA PARKING',
  ])
  const rows = payments.map(
    (payee, index) => `D03/${13 + index}/2026\nT-4.75\nP${payee} 00${40 + index}\n^\n`,
  )
  const { body } = await key('POST', `${path}/transactions/upload`, {
    form: formWith('payments.qif', `!Type:Bank\n${rows.join('')}`),
    isShown: false,
  })
  const one = `${path}/transactions/upload/${body.transactionUploadId}`
  await until(key, one, ({ status }) => status === 'complete')
  await suggestedRules(key, path)
  await key('DELETE', one, { isShown: false })
}

/** Uploads a file of two accounts, which asks for one of them. */
async function holdsSeveral(world: World, ada: Ada, path: string): Promise<void> {
  const { key } = ada
  const statement = (id: string, kind: string) =>
    `<STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>${id}<ACCTTYPE>${kind}</BANKACCTFROM><BANKTRANLIST>` +
    '</BANKTRANLIST><LEDGERBAL><BALAMT>250.00<DTASOF>20260301</LEDGERBAL></STMTRS>'
  const file = `<OFX>${statement('1001', 'CHECKING')}${statement('1002', 'SAVINGS')}</OFX>`
  const { body } = await key('POST', `${path}/transactions/upload`, {
    form: formWith('all.ofx', file),
    isShown: false,
  })
  const one = `${path}/transactions/upload/${body.transactionUploadId}`
  await until(key, one, ({ status }) => status === 'failed')
  await key('GET', one, { name: 'accounts', summary: 'A file of several accounts' })
  await importsSeveral(world, ada, { path, form: formWith('all.ofx', file) })
}

/** Uploads a file of two accounts for both, imports one of them, and undoes it. */
async function importsSeveral(
  world: World,
  { key, headers }: Ada,
  { path, form }: { path: string; form: FormData },
): Promise<void> {
  const bankAccountId = path.split('/').at(-1)
  const choices = 'encoding=utf-8&decimalMark=.&dayFirst=false'
  const { body: made } = await key('POST', `/uploads?${choices}`, { form })
  const previewed = new FormData()
  for (const [name, part] of form) previewed.set(name, part)
  previewed.set('statements', JSON.stringify([{ statement: '1001', bankAccountId }]))
  await key('POST', `/uploads?preview=true&${choices}`, {
    form: previewed,
    name: 'preview',
    summary: 'What the import of one of its accounts would do',
  })
  const group = `/uploads/${made.uploadGroupId}`
  await key('PATCH', group, { body: { statements: [{ statement: '1001', bankAccountId }] } })
  await until(key, group, ({ status }) => status === 'complete')
  const { body } = await key('GET', group)
  await key('GET', '/uploads')
  const { transactionUploadId } = body.statements[0].upload
  await whileRunning(world, transactionUploadId, () =>
    world.recorder.refuse(409, 'DELETE', group, {
      headers,
      name: 'importing',
      summary: 'An import of the upload still runs',
    }),
  )
  await key('DELETE', group)
}

/** Sets an upload back to running for the time of a request. */
async function whileRunning(world: World, id: string, request: () => Promise<unknown>) {
  const { pool } = world.coffer.booted.database('ledger')
  const put = (status: string) =>
    pool.query(sql.unsafe`
      UPDATE uploads SET status = ${status} WHERE transaction_upload_id = ${id}`)
  await put('processing')
  await request()
  await put('complete')
}

/** Undoes an upload that is set back to running for that time. */
async function refusesUndo(world: World, { headers }: Ada, uploaded: string): Promise<void> {
  await whileRunning(world, uploaded.split('/').at(-1) ?? '', () =>
    world.recorder.refuse(409, 'DELETE', uploaded, {
      headers,
      name: 'running',
      summary: 'The upload is still being read',
    }),
  )
  await world.recorder.refuse(426, 'GET', `${uploaded}/progress`, {
    headers: { ...headers, 'sec-websocket-version': '8' },
    name: 'version',
    summary: 'A handshake of an older version',
    isHandshake: true,
  })
  await world.recorder.refuse(403, 'GET', `${uploaded}/progress`, {
    headers: { ...headers, origin: 'https://other.example.org' },
    name: 'socket',
    summary: 'A handshake of a page of another origin',
    isHandshake: true,
  })
}

const columns = ['Number', 'Date', 'Text', 'Merchant', 'Amount', 'Balance', 'Status']

async function imports(world: World, { key, headers }: Ada, path: string): Promise<void> {
  const rows = [
    columns.join(),
    '1,02/03/2026,POS DEBIT POWER & LIGHT,Power & Light,-64.20,2785.80,Posted',
    '2,02/04/2026,HOTEL HOLD,Hotel,,,Pending',
  ]
  const choices = [
    'delimiter=%2C&headerRow=1&dateFormat=MM%2FDD%2FYYYY&minusReverses=true',
    'encoding=utf-8&decimalMark=.&dayFirst=false&statement=*',
  ]
  const { body: made } = await key('POST', `${path}/transactions/import?${choices.join('&')}`, {
    form: formWith('february.csv', `${rows.join('\n')}\n`),
  })
  await key('GET', '/files')
  const transactionImportMappingId = await mappings(key)
  const step = `${path}/transactions/import/${made.transactionImportId}`
  await ruleForFile(key, path)
  await key('PATCH', step, {
    body: { transactionImportMappingId, status: 'pending-preview' },
    name: 'preview',
    summary: 'Choose the mapping',
  })
  await until(key, step, ({ status }) => status === 'preview')
  await key('GET', step, { name: 'preview', summary: 'The rows that would be stored' })
  const { body: stored } = await key('GET', `${path}/transactions?limit=1`, { isShown: false })
  const joins = [{ uploadIdentifier: '1', transactionId: stored[0].transactionId }]
  await key('PATCH', step, {
    body: { status: 'pending-processing', joins },
    name: 'process',
    summary: 'Store the rows of the preview',
  })
  await until(key, step, ({ status }) => status === 'complete')
  await key('GET', step, { name: 'stored', summary: 'A join that is not made: another amount' })
  await readsProvenance(key, path)
  await until(key, `${path}/transactions/import`, ([{ file }]) => file.deletedAt !== null)
  await key('GET', `${path}/transactions/import`)
  const cells = (tag: string, texts: string[]) =>
    `<tr>${texts.map((text) => `<${tag}>${text}</${tag}>`).join('')}</tr>`
  const table = [
    cells('th', ['Date', 'Text', 'Amount']),
    cells('td', ['02/05/2026', 'Tea', '-3.20']),
  ]
  const { body: left } = await key('POST', `${path}/transactions/import?sheet=Table%201`, {
    form: formWith('february.xls', `<table>${table.join('')}</table>`),
    name: 'sheet',
    summary: 'A table of a workbook',
  })
  await key('DELETE', `${path}/transactions/import/${left.transactionImportId}`)
  const summary = 'Its rows are stored'
  await world.recorder.refuse(409, 'DELETE', step, { headers, name: 'processed', summary })
  const { body: broken } = await key('POST', `${path}/transactions/import`, {
    form: formWith('march.csv', `${columns.join()}\n1,"03/01/2026\n`),
    isShown: false,
  })
  const failed = `${path}/transactions/import/${broken.transactionImportId}`
  await key('PATCH', failed, {
    body: { transactionImportMappingId, status: 'pending-preview' },
    isShown: false,
  })
  await until(key, failed, ({ status }) => status === 'failed')
  await key('GET', failed, { name: 'failed', summary: 'A file that cannot be read' })
}

/** Creates two mappings. Returns the ID of the one for the imported file. */
async function mappings(key: Ada['key']): Promise<string> {
  const { body } = await key('POST', '/mappings', {
    body: {
      mapping: {
        headers: columns,
        id: { kind: 'native', fields: [{ name: 'Number' }] },
        amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
        memo: { name: 'Text' },
        merchant: { name: 'Merchant' },
        date: { fields: [{ name: 'Date' }], format: 'MM/DD/YYYY' },
        posted: { fields: [{ name: 'Status' }], posted: 'Posted' },
        balance: { kind: 'field', fields: [{ name: 'Balance' }] },
      },
    },
    name: 'sign',
    summary: 'A column of amounts, negative if money leaves',
  })
  const { body: other } = await key('POST', '/mappings', {
    body: {
      mapping: {
        headers: ['Day', 'Text', 'Sum', 'Direction'],
        id: { kind: 'hashed', fields: [{ name: 'Day' }, { derivedKind: 'rowNumber' }] },
        amount: {
          kind: 'type',
          invert: false,
          fields: [{ name: 'Sum' }, { name: 'Direction' }],
          credit: 'CR',
          debit: 'DR',
        },
        memo: { name: 'Text' },
        date: { fields: [{ name: 'Day' }], format: 'YYYY-MM-DD' },
        balance: { kind: 'none' },
      },
    },
    name: 'type',
    summary: 'A column of amounts, and one with their direction',
  })
  await key('GET', '/mappings')
  await key('GET', `/mappings?signature=${body.signature}`, { isShown: false })
  await key('DELETE', `/mappings/${other.transactionImportMappingId}`)
  return body.transactionImportMappingId
}

function formWith(name: string, content: string): FormData {
  const form = new FormData()
  form.set('data', new File([content], name))
  return form
}
