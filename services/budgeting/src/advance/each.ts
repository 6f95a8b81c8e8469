/**
 * Does work for one item after the other; one that fails does not stop the others. Then throws
 * what they failed with, all together.
 */
export async function forEachInTurn<Item>(
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
