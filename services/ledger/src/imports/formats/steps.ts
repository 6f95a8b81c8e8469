/** Cooperative multitasking: a caller on the event loop runs other work between the steps. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps synchronously, and returns their result. */
export function endOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
  }
}
