import { setImmediate } from 'node:timers/promises'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { createSemaphore } from '@coffer/kit/service/semaphore'

/** Maximum wait for a turn in ms: with the comparison after it, less than a request may take. */
const waitMsMax = 2_000

const turns = createSemaphore(1)

/**
 * Compares rules with many transactions, one comparison at a time in a process, as each takes the
 * processor for a second or more. Throws unavailable (503) after `waitMsMax`. `pause` lets other
 * requests go on; it throws when the request has ended.
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
