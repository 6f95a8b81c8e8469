/** The fields of a transaction that the search for similar transactions reads. */
export type ClusterRow = {
  transactionId: string
  originalName: string
  originalMerchantName: string
}

/** Live transactions, newest first; transaction `i` has the text `texts[textOf[i]]`. */
export type ClusterInput = { transactionIds: string[]; textOf: number[]; texts: string[] }

/** Returns an empty input, and `add`, which appends a page without transactions added before. */
export function collectTexts(): {
  add: (rows: readonly ClusterRow[]) => void
  input: ClusterInput
} {
  const input: ClusterInput = { transactionIds: [], textOf: [], texts: [] }
  const numbers = new Map<string, number>()
  const seen = new Set<string>()
  return {
    input,
    add: (rows) => {
      for (const { transactionId, originalName, originalMerchantName } of rows) {
        if (seen.has(transactionId)) continue
        seen.add(transactionId)
        // The line break separates words; word positions run on from name to merchant name.
        const text = `${originalName}\n${originalMerchantName}`
        const number = numbers.get(text) ?? numbers.size
        if (number === numbers.size) {
          numbers.set(text, number)
          input.texts.push(text)
        }
        input.transactionIds.push(transactionId)
        input.textOf.push(number)
      }
    },
  }
}
