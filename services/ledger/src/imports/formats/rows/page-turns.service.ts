import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Steps } from '../steps.ts'

/**
 * Pause in ms after a page, about as long as the page takes: a request that needs several turns of
 * the event loop would wait for a page in each.
 */
const pagePauseMs = 1

/**
 * Yields pages of rows, each in a turn of the event loop of its own, with pauses between: all pages
 * of a file in one turn would delay requests, as those without a statement to send do.
 */
export async function* inTurns<Page>(pages: Iterable<Page>): AsyncGenerator<Page> {
  for (const page of pages) {
    yield page
    await setTimeout(pagePauseMs)
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
