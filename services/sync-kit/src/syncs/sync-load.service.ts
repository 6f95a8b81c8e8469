import { unavailable } from '@coffer/kit/rpc/errors'
import { createPace, type Pace } from '@coffer/kit/service/pace'
import { createSemaphore } from '@coffer/kit/service/semaphore'

/** Bounds the work that the imports of syncs cause in this process and in the ledger. */
export interface SyncLoad {
  /**
   * Begins the work of one activity. Only scheduled syncs pause, to leave time for requests. The
   * `run` of the result throws unavailable if two other imports run for a minute.
   */
  begin: (of: { isManual: boolean }) => Pace
}

const importsAtOnce = 2
const waitMs = 60_000

/**
 * Creates the concurrency limiter of a process: two imports at once. Duty cycle: each scheduled
 * import pauses, so that it takes at most `share` (0 to 1) of the time.
 */
export function createSyncLoad({ share }: { share: number }): SyncLoad {
  const permits = createSemaphore(importsAtOnce)
  return {
    begin: ({ isManual }) => {
      const pace = isManual ? null : createPace({ share })
      return {
        run: async (piece) => {
          if (!(await permits.acquire(waitMs))) throw unavailable('too many imports run')
          try {
            // The pause counts as part of the import: it holds the permit.
            return await (pace ? pace.run(piece) : piece())
          } finally {
            permits.release()
          }
        },
        [Symbol.dispose]: () => pace?.[Symbol.dispose](),
      }
    },
  }
}
