import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A household that reads its balances repeatedly. */
export interface OtherHousehold extends AsyncDisposable {
  /** Returns the latencies in ms of the reads since the last call. */
  lap: () => Promise<number[]>
}

/**
 * Registers a household that reads in a thread of its own: on the event loop that sends a file, a
 * read would wait for the client, not for the server.
 */
export async function startOtherHousehold(baseUrl: string): Promise<OtherHousehold> {
  const thread = new Worker(new URL('./reader.worker.ts', import.meta.url), { workerData: baseUrl })
  const answer = async (): Promise<number[]> => (await once(thread, 'message'))[0]
  await answer()
  return {
    lap: async () => {
      const laps = answer()
      thread.postMessage('lap')
      return laps
    },
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  }
}
