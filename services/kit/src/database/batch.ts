import { say } from '../reasons/reasons.ts'
import { unavailable } from '../rpc/errors.ts'

/**
 * Adds an item to the batch of a key; resolves with that item's result. If the signal aborts before
 * the batch runs, the item is dropped and the promise rejects with the signal's reason.
 */
export interface Batcher<Item, Result> {
  (key: string, item: Item, signal?: AbortSignal | undefined): Promise<Result>
  /** Whether a batch of this key is running. */
  isBusy: (key: string) => boolean
}

interface Waiting<Item, Result> {
  item: Item
  signal: AbortSignal | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export interface BatcherOptions {
  sizeMax: number
  /** Maximum number of waiting items per key; a further item is refused with unavailable (503). */
  waitingMax: number
  /**
   * Whether the first batch waits for further items of the same tick of the event loop; otherwise
   * its first item runs alone.
   */
  isGathered?: boolean
}

/**
 * Batches concurrent items of one key, one batch at a time; items that arrive while a batch is
 * running form the next batch. `run` returns one outcome for each item; if `run` throws, all items
 * of the batch reject. A full queue refuses items for which `isRefusable` returns true (503).
 */
export function createBatcher<Item, Result>(
  run: (key: string, items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
  { sizeMax, waitingMax, isGathered = false }: BatcherOptions,
  isRefusable: (item: Item) => boolean = () => true,
): Batcher<Item, Result> {
  const queues = new Map<string, Waiting<Item, Result>[]>()
  const drain = async (key: string, queue: Waiting<Item, Result>[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.splice(0, sizeMax).filter(isStillWanted)
      if (batch.length === 0) continue
      await settle(batch, () =>
        run(
          key,
          batch.map(({ item }) => item),
        ),
      )
    }
    queues.delete(key)
  }
  const put = (key: string, item: Item, signal?: AbortSignal) =>
    new Promise<Result>((resolve, reject) => {
      const queue = queues.get(key)
      if (queue && queue.length >= waitingMax && isRefusable(item)) {
        reject(unavailable(say('WRITES_FULL')))
      } else if (queue) {
        queue.push({ item, signal, resolve, reject })
      } else {
        const fresh = [{ item, signal, resolve, reject }]
        queues.set(key, fresh)
        if (isGathered) setImmediate(() => void drain(key, fresh))
        else void drain(key, fresh)
      }
    })
  return Object.assign(put, { isBusy: (key: string) => queues.has(key) })
}

/** Splits items into groups of at most `sizeMax`, in order. */
export function groupsOf<Item>(items: readonly Item[], sizeMax: number): Item[][] {
  const count = Math.ceil(items.length / sizeMax)
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * sizeMax, (index + 1) * sizeMax),
  )
}

/** Returns whether the caller still waits; otherwise rejects the item before the batch runs. */
function isStillWanted({ signal, reject }: Waiting<unknown, never>): boolean {
  if (signal?.aborted) reject(signal.reason)
  return !signal?.aborted
}

async function settle<Item, Result>(
  batch: Waiting<Item, Result>[],
  run: () => Promise<PromiseSettledResult<Result>[]>,
): Promise<void> {
  try {
    const outcomes = await run()
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome?.status === 'fulfilled') resolve(outcome.value)
      else reject(outcome?.reason ?? new Error('the batch left an item out'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
