/**
 * Runs `work` for the items one after another. A failed item does not stop the others. After the
 * last one, throws AggregateError with all errors, if any.
 */
export async function forEachSequentially<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  onFailure: (item: Item, error: unknown) => void,
): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
    } catch (error) {
      onFailure(item, error)
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} failed`)
}
