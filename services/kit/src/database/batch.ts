import { unavailable } from '../rpc/errors.ts'

/**
 * Puts items into batches; each call resolves with what its own item came to. An item whose signal
 * is aborted while it waits is left out, and rejects with the signal's reason.
 */
export interface Batcher<Item, Result> {
  (key: string, item: Item, signal?: AbortSignal | undefined): Promise<Result>
  /** Whether a batch of the key runs, with or without items that wait for it. */
  isBusy: (key: string) => boolean
}

interface Waiting<Item, Result> {
  item: Item
  signal: AbortSignal | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export interface BatcherOptions {
  /** Items in one batch at most. */
  sizeMax: number
  /** Items of one key that may wait; one more is refused with unavailable. */
  waitingMax: number
}

/**
 * Runs the items of one key in batches, one batch at a time: what arrives while one runs forms the
 * next. An item that finds nothing running runs at once and alone. `run` settles each item by
 * itself; where it throws, every item of the batch fails with that error.
 */
export function createBatcher<Item, Result>(
  run: (key: string, items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
  { sizeMax, waitingMax }: BatcherOptions,
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
      if (queue && queue.length >= waitingMax) {
        reject(unavailable('too many writes are waiting'))
      } else if (queue) {
        queue.push({ item, signal, resolve, reject })
      } else {
        const fresh = [{ item, signal, resolve, reject }]
        queues.set(key, fresh)
        void drain(key, fresh)
      }
    })
  return Object.assign(put, { isBusy: (key: string) => queues.has(key) })
}

/** The items in order, in groups of `sizeMax`; the last one may be smaller. */
export function groupsOf<Item>(items: readonly Item[], sizeMax: number): Item[][] {
  const count = Math.ceil(items.length / sizeMax)
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * sizeMax, (index + 1) * sizeMax),
  )
}

/** Nobody waits for an item past its deadline: doing it would only delay the others. */
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
