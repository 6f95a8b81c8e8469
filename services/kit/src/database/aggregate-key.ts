/** Key of an aggregate: the bank account that its rows belong to. */
export interface BankAccountKey {
  accountId: string
  bankAccountId: string
}

/** Returns the key as text, for use as a map key. */
export function keyOf({ accountId, bankAccountId }: BankAccountKey): string {
  return `${accountId} ${bankAccountId}`
}

/**
 * Sorts items by key and removes repeated keys; the last item of a key wins. Transactions that lock
 * rows in this order cannot deadlock.
 */
export function inKeyOrder<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => BankAccountKey,
): Item[] {
  const byKey = [...new Map(items.map((item) => [keyOf(nameOf(item)), item]))]
  return byKey.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item)
}
