import { setImmediate } from 'node:timers/promises'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { createSemaphore } from '@coffer/kit/service/semaphore'

/** Maximum wait in ms for the semaphore: wait and comparison must fit in a request's timeout. */
const waitMsMax = 2_000

const turns = createSemaphore(1)

/**
 * Compares rules with many transactions, one comparison at a time in a process, because each takes
 * a second or more of CPU time. Throws `unavailable` (503) after `waitMsMax`. `pause` yields to
 * other requests, and throws once the request has ended.
 */
export async function inTurn<Result>(
  signal: AbortSignal,
  compare: (pause: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  if (!(await turns.acquire(waitMsMax, signal))) {
    throw unavailable(say('RULES_BUSY'))
  }
  try {
    return await compare(async () => {
      await setImmediate()
      signal.throwIfAborted()
    })
  } finally {
    turns.release()
  }
}
