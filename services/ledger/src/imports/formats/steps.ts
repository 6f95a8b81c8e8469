/** Work in steps: a caller on the event loop lets other work run between them. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps at once, and returns their result. */
export function endOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
  }
}
