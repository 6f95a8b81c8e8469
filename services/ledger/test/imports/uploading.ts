import { eventually } from '@coffer/host/testing/boot'
import type { Household } from '@coffer/host/testing/household'
import { partsOf } from './file-parts.ts'
import { fixture } from './importing.ts'

/** Balances (minor units) of a bank account before its first import. */
export const opening = { currentBalance: 50000n, availableBalance: 40000n }

/** Undoes an import. */
export function undo({ uploads, bankAccountId, as }: Household, transactionUploadId: string) {
  return uploads.undoUpload({ bankAccountId, transactionUploadId }, as)
}

/** Uploads bytes as an OFX file. Returns the ID of the bank account and the ID of the upload. */
export async function sendFile({ uploads, bankAccountId, as }: Household, content: Uint8Array) {
  const file = { name: 'export.ofx', contentType: 'application/octet-stream', content }
  const { upload } = await uploads.createUpload(partsOf({ bankAccountId, ...file }), as)
  return { bankAccountId, transactionUploadId: upload?.transactionUploadId ?? '' }
}

/** Uploads a file (its name in `test/data`, or its text) and waits until its import ends. */
export async function importFile(home: Household, file: string) {
  const isText = file.startsWith('<')
  const key = await sendFile(home, isText ? new TextEncoder().encode(file) : await fixture(file))
  return untilEnded(home, key)
}

/** Waits until an import ends. Returns its upload. */
export async function untilEnded(
  { uploads, as }: Household,
  key: { bankAccountId: string; transactionUploadId: string },
) {
  const ended = await eventually(
    async () => (await uploads.getUpload(key, as)).upload,
    (one) => one?.status === 'complete' || one?.status === 'failed',
    60_000,
  )
  if (!ended) throw new Error('the upload is gone')
  return ended
}

export type Joins = { uploadIdentifier: string; transactionId: string }[]

/** Uploads a text with joins and waits until its import ends, or only previews it. */
export async function sendJoins(
  home: Household,
  file: string,
  { joins = [] as Joins, preview = false, name = 'a.ofx' } = {},
) {
  const { uploads, bankAccountId, as } = home
  const content = new TextEncoder().encode(file)
  const { upload } = await uploads.createUpload(
    partsOf({ bankAccountId, name, content, joins, preview }),
    as,
  )
  if (!upload) throw new Error('no upload')
  const { transactionUploadId } = upload
  return preview ? upload : untilEnded(home, { bankAccountId, transactionUploadId })
}

/** Returns the joins that the preview of a text offers, and the offers. */
export async function offersOf(home: Household, file: string) {
  const { preview } = await sendJoins(home, file, { preview: true })
  const offers = preview?.joinOffers ?? []
  const joins: Joins = offers.map(({ uploadIdentifier, transactionId }) => {
    return { uploadIdentifier, transactionId }
  })
  return { joins, offers }
}

/**
 * Returns an OFX statement with balances, whose rows are dated 10 January. A negative amount leaves
 * the account. `asOf` is the date of the balances, null for none; `availableAsOf` is the date of
 * the available balance if it differs.
 */
export function statementOf(
  rows: Record<string, string>,
  balances: {
    ledger?: string
    available?: string
    asOf?: string | null
    availableAsOf?: string
  } = {},
): string {
  const { ledger, available, asOf = '20260115', availableAsOf = asOf } = balances
  const list = Object.entries(rows).map(([id, amount]) => {
    const fields = `<DTPOSTED>20260110<TRNAMT>${amount}<FITID>${id}<NAME>ROW ${id}`
    return `<STMTTRN><TRNTYPE>POS${fields}</STMTTRN>`
  })
  const instant = (date: string | null) => (date === null ? '' : `<DTASOF>${date}`)
  const stated = (tag: string, date: string | null, amount?: string) =>
    amount === undefined ? '' : `<${tag}><BALAMT>${amount}${instant(date)}</${tag}>`
  return (
    `<OFX><STMTRS><CURDEF>USD<BANKTRANLIST>${list.join('\n')}</BANKTRANLIST>` +
    `${stated('LEDGERBAL', asOf, ledger)}${stated('AVAILBAL', availableAsOf, available)}` +
    '</STMTRS></OFX>'
  )
}
