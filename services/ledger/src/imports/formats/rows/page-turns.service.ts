import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Steps } from '../steps.ts'

/**
 * Pause in ms after a page, about as long as a page takes. Without it, a request that needs several
 * event-loop turns would wait for a page in each turn.
 */
const pagePauseMs = 1

/**
 * Yields each page of rows in an event-loop turn of its own, with a pause after it. Pages that need
 * no SQL statement would otherwise all run in one turn, and delay requests.
 */
export async function* inTurns<Page>(pages: Iterable<Page>): AsyncGenerator<Page> {
  for (const page of pages) {
    yield page
    await setTimeout(pagePauseMs)
  }
}

/** Runs each step in its own event-loop turn, so that requests run in between. */
export async function endInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
    await setImmediate()
  }
}
