import { plainText } from '../../format/plain-text.ts'

/** Returns the file name of an export: `coffer-checking-2026-11-29.csv`. */
export function csvName(account: string, day: string): string {
  const name = plainText(account).replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const parts = ['coffer', ...name.split('-').filter(Boolean), day]
  return `${parts.join('-')}.csv`
}

/**
 * Downloads a text as a CSV file, with the byte order mark by which spreadsheets recognize UTF-8.
 */
export function saveCsv(text: string, name: string): void {
  saveFile(new Blob(['\ufeff', text], { type: 'text/csv' }), name)
}

/** Downloads a file by a temporary link. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The URL is revoked later, because the browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
