import { plainText } from '../../format/plain-text.ts'

/** Returns the name of a file of a bank account of a day: `coffer-checking-2026-11-29.csv`. */
export function csvName(account: string, day: string): string {
  const name = plainText(account).replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const parts = ['coffer', ...name.split('-').filter(Boolean), day]
  return `${parts.join('-')}.csv`
}

/** Saves a text as a CSV file. Spreadsheets need its byte order mark. */
export function saveCsv(text: string, name: string): void {
  saveFile(new Blob(['\ufeff', text], { type: 'text/csv' }), name)
}

/** Saves a file among the downloads of the browser. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
