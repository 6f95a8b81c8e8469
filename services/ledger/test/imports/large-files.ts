import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { UploadKey } from '../../src/book/upload-key.ts'

/**
 * Arguments of a process that imports a file: the database's URL, the folder of the uploaded bytes,
 * and the key of the upload.
 */
export interface ImportTask {
  url: string
  folder: string
  key: UploadKey
}

/** Starts a process that imports a file (`import-process.ts`). */
export function startImporting(task: ImportTask): ChildProcess {
  const program = fileURLToPath(new URL('./import-process.ts', import.meta.url))
  return spawn(process.execPath, [program, JSON.stringify(task)], { stdio: 'inherit' })
}

const width = 6

/**
 * Returns the beginning of the identifier of the row at `index`, by which a test recognises the
 * INSERT of this row.
 */
export function textNear(index: number): string {
  return `"r${identifier(index).slice(0, -1)}`
}

/**
 * Returns an OFX statement with `rowCount` rows of 1.00 each, and with balances as of 15 January
 * 2026. The rows are short: 100,000 of them stay just below the maximum of an upload, 6 MiB.
 */
export function largeStatement(rowCount: number, balance: string): Uint8Array {
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const fields = `<DTPOSTED>20260110<TRNAMT>-1<FITID>r${identifier(index)}`
    return `<STMTTRN>${fields}</STMTTRN>`
  })
  const stated = `<BALAMT>${balance}<DTASOF>20260115`
  return new TextEncoder().encode(
    `<OFX><STMTRS><CURDEF>USD<BANKTRANLIST>${rows.join('')}</BANKTRANLIST>` +
      `<LEDGERBAL>${stated}</LEDGERBAL><AVAILBAL>${stated}</AVAILBAL></STMTRS></OFX>`,
  )
}

function identifier(index: number): string {
  return String(index).padStart(width, '0')
}
