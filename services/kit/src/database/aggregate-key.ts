/** Names an aggregate: the bank account that its rows are of. */
export interface AggregateKey {
  accountId: string
  bankAccountId: string
}

/** The key as text, for maps. */
export function keyOf({ accountId, bankAccountId }: AggregateKey): string {
  return `${accountId} ${bankAccountId}`
}

/**
 * One item for each key, the last one, in the order of the keys: locks are taken in this order, so
 * that no two transactions wait for each other.
 */
export function inKeyOrder<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => AggregateKey,
): Item[] {
  const byKey = [...new Map(items.map((item) => [keyOf(nameOf(item)), item]))]
  return byKey.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item)
}
