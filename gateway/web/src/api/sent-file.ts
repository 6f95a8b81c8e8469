/** The last sheet or CSV file that was sent, so that the user can import another sheet of it. */
let sent: { transactionImportId: string; data: File } | null = null

export function keepSent(transactionImportId: string, data: File): void {
  sent = { transactionImportId, data }
}

/** Returns the file of an import; null after a reload of the page. */
export function findSent(transactionImportId: string): File | null {
  return sent?.transactionImportId === transactionImportId ? sent.data : null
}
