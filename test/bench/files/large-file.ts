import { setTimeout as sleep } from 'node:timers/promises'
import type { Json, Person } from '../../harness/person.ts'

const pollMs = 100
const dayMs = 86_400_000
const shops = ['Corner Grocer', 'City Trains', 'Power & Light', 'Book House', 'Green Pharmacy']

interface Row {
  number: number
  day: string
  text: string
  /** Decimal text; money that leaves is negative. */
  amount: string
}

/** Returns rows of many days, with amounts and texts that repeat as those of households do. */
function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, number) => {
    const day = new Date(Date.UTC(2020, 0, 1) + Math.floor(number / 50) * dayMs)
    const text = `${shops[number % shops.length]} ${number % 97}`
    const amount = (-((number * 37) % 20_000) / 100 - 0.01).toFixed(2)
    return { number, day: day.toISOString().slice(0, 10), text, amount }
  })
}

/** Returns a CSV file with these many rows. */
export function csvOf(count: number): File {
  const lines = rowsOf(count).map(({ number, day, text, amount }) =>
    [number, day, text, amount].join(','),
  )
  const content = ['Number,Date,Text,Amount', ...lines, ''].join('\n')
  return new File([content], 'large.csv', { type: 'text/csv' })
}

/** Returns an OFX file with these many bookings. */
export function ofxOf(count: number): File {
  const bookings = rowsOf(count).map(
    ({ number, day, text, amount }) =>
      `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day.replaceAll('-', '')}120000<TRNAMT>${amount}` +
      `<FITID>${number}<NAME>${text.replace('&', '&amp;')}<MEMO>Card ${number % 7}</STMTTRN>`,
  )
  const content = [
    'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:UTF-8\nCHARSET:NONE',
    'COMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n',
    '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKTRANLIST>',
    ...bookings,
    '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
  ].join('\n')
  return new File([content], 'large.ofx', { type: 'application/x-ofx' })
}

/** A bank account to which files are sent. Each method waits for its end; throws if it fails. */
export interface FileBank {
  previewCsv: (file: File) => Promise<void>
  importCsv: (file: File) => Promise<void>
  previewUpload: (file: File) => Promise<void>
  upload: (file: File) => Promise<void>
}

/** Creates bank accounts of a person, for files. */
export function fileSender(person: Person): { createBank: () => Promise<FileBank> } {
  const createBank = async (): Promise<FileBank> => {
    const { path } = await person.createBankAccount(0)
    const send = async (to: string, data: File): Promise<Json> => {
      const form = new FormData()
      form.set('data', data)
      const answer = await person.call('POST', `${path}/transactions/${to}`, { form })
      if (answer.status >= 300) throw new Error(`${to}: ${answer.status}`)
      return answer.body
    }
    const preview = async (file: File): Promise<string> => {
      const { transactionImportId, headers } = await send('import', file)
      const { transactionImportMappingId } = await person.post('/mappings', mappingOf(headers))
      const one = `${path}/transactions/import/${transactionImportId}`
      await person.patch(one, { status: 'pending-preview', transactionImportMappingId })
      await untilStatus(person, one, 'preview')
      return one
    }
    return {
      previewCsv: async (file) => void (await preview(file)),
      importCsv: async (file) => {
        const one = await preview(file)
        await person.patch(one, { status: 'pending-processing' })
        await untilStatus(person, one, 'complete')
      },
      previewUpload: async (file) => void (await send('upload?preview=true', file)),
      upload: async (file) => {
        const { transactionUploadId } = await send('upload', file)
        await untilStatus(person, `${path}/transactions/upload/${transactionUploadId}`, 'complete')
      },
    }
  }
  return { createBank }
}

async function untilStatus(person: Person, path: string, wanted: string): Promise<void> {
  for (;;) {
    const { status, error } = await person.get(path)
    if (status === wanted) return
    if (status === 'failed') throw new Error(`${path}: ${error}`)
    await sleep(pollMs)
  }
}

function mappingOf(headers: string[]) {
  return {
    mapping: {
      headers,
      id: { kind: 'native', fields: [{ name: 'Number' }] },
      amount: { kind: 'sign', invert: true, fields: [{ name: 'Amount' }] },
      memo: { name: 'Text' },
      date: { fields: [{ name: 'Date' }], format: 'YYYY-MM-DD' },
      balance: { kind: 'none' },
    },
  }
}
