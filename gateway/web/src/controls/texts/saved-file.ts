/** Saves a text as a CSV file. Spreadsheets need its byte order mark. */
export function saveCsv(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
