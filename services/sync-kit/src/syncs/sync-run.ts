/**
 * The result of a step of a sync, an activity that may be repeated. `failed`: the fault is stored;
 * `wait`: repeat the step after `ms`; `gone`: the link or the bank account no longer takes imports.
 */
export type Step<Result> = Ended<Result> | { kind: 'wait'; ms: number }

type Ended<Result> = ({ kind: 'done' } & Result) | { kind: 'failed' } | { kind: 'gone' }

/** The result of a step after its repetitions; `postponed`: the pause is too long for a sync. */
export type Settled<Result> = Ended<Result> | { kind: 'postponed'; untilMs: number }

const waitsMax = 3
const waitMsMax = 60_000

/**
 * Repeats a step while it asks to wait, at most three times per sync and a minute each.
 * `sync.waits` counts the waits.
 */
export async function settle<Result>(
  sync: { waits: number; pause: (ms: number) => Promise<void> },
  step: () => Promise<Step<Result>>,
): Promise<Settled<Result>> {
  for (;;) {
    const result = await step()
    if (result.kind !== 'wait') return result
    if (sync.waits === waitsMax || result.ms > waitMsMax) {
      return { kind: 'postponed', untilMs: result.ms }
    }
    sync.waits += 1
    await sync.pause(result.ms)
  }
}

/**
 * Returns the outcome of the steps of a sync: `unfinished` if one has failed after all its
 * repetitions. Rethrows other errors.
 */
export async function outcomeOf<Outcome>(
  steps: { isStepFailure: (error: unknown) => boolean },
  run: () => Promise<Outcome>,
): Promise<Outcome | { kind: 'unfinished' }> {
  try {
    return await run()
  } catch (error) {
    if (!steps.isStepFailure(error)) throw error
    return { kind: 'unfinished' }
  }
}
