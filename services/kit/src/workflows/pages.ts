import { continueAsNew } from '@temporalio/workflow'
import { isHistoryLong } from './history.ts'

/** A call that is repeated with its last result, from null, until it returns null. */
export type Step = (after: unknown) => Promise<unknown>

/** Position in the steps of a workflow: index of the step, and the last result of its calls. */
export type Place = { step: number; after: unknown }

/** Returns the step that calls `next` with cursors, from `first` on, until it returns null. */
export function paged<After>(first: After, next: (after: After) => Promise<After | null>): Step {
  return (after) => next(after === null ? first : (after as After))
}

/** Returns the step that calls `next` until it returns true. */
export function untilDone(next: () => Promise<boolean>): Step {
  return async () => ((await next()) ? null : 'more')
}

/**
 * Runs steps one after another, from `place` on (default: the first). Continue-as-new: once
 * `isHistoryLong`, a new run resumes from the position, its only argument.
 */
export async function runSteps(steps: readonly Step[], place?: Place | null): Promise<void> {
  let { step, after } = place ?? { step: 0, after: null }
  for (let call = steps[step]; call !== undefined; call = steps[step]) {
    after = (await call(after)) ?? null
    if (after === null) step += 1
    if (step < steps.length && isHistoryLong()) {
      await continueAsNew<(place: Place) => Promise<void>>({ step, after })
    }
  }
}
