import { say } from '@coffer/kit/reasons/reasons'
import { invalid, unavailable } from '@coffer/kit/rpc/errors'
import type { ConvertedSheet } from './formats/sheets/sheet.ts'
import { isSheet } from './formats/sheets/sheet-kind.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { fileSizeMax, type IncomingFile, onlyOf, wholeOf } from './incoming-file.ts'

/**
 * Converts a spreadsheet to CSV: the stated table, else the longest (docs/files.md#sheets). Returns
 * other files unchanged. Throws `invalid` for an unreadable spreadsheet, and `unavailable` while
 * another file of the account is read.
 */
export async function convertSheetFile(
  readers: Readers,
  accountId: string,
  file: IncomingFile,
): Promise<{ file: IncomingFile; chosen: ConvertedSheet['chosen'] }> {
  const { sheet: name } = file.choices
  if (!isSheet(file.head)) {
    requireChosen(name, null)
    return { file, chosen: null }
  }
  const read = await readers.convert(accountId, async () => ({
    sheet: await wholeOf(file.bytes),
    name,
  }))
  if (read === 'busy') throw unavailable(say('FILE_BUSY'))
  if ('unreadable' in read) throw invalid({ data: read.unreadable })
  const { csv, chosen } = read
  requireChosen(name, chosen)
  if (csv.length > fileSizeMax) {
    throw invalid({ data: say('TABLE_TOO_LARGE') })
  }
  return { file: { ...file, head: csv, bytes: onlyOf(csv) }, chosen }
}

/** Throws `invalid` if the client states a sheet for a file without sheets, such as CSV. */
function requireChosen(name: string | undefined, chosen: ConvertedSheet['chosen']): void {
  if (name !== undefined && chosen === null) throw invalid({ sheet: say('SHEET_UNEXPECTED') })
}
