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
