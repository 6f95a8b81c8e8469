import { setImmediate } from 'node:timers/promises'
import type { Steps } from '../steps.ts'

/**
 * Yields pages of rows, each in a turn of the event loop of its own: all pages of a file in one
 * turn would delay requests, as those without a statement to send do.
 */
export async function* inTurns<Page>(pages: Iterable<Page>): AsyncGenerator<Page> {
  for (const page of pages) {
    yield page
    await setImmediate()
  }
}

/** Runs steps, each in a turn of the event loop of its own, and returns their result. */
export async function endInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
    await setImmediate()
  }
}
