import { condition, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow'
import { isHistoryLong } from './history.ts'

const runsMax = 20

/**
 * Calls `run` for a start of the workflow, and again if further starts have arrived meanwhile, at
 * most 20 times: a start of a running workflow is a signal. `runId` is unique to each call. `pause`
 * sleeps until a start arrives, or its time is over. Continue-as-new: if a start is pending and
 * `isHistoryLong`, calls `again`. The new run then sets `isContinued`, so it does not wait for a
 * start.
 */
export async function runPerStart(
  run: (runId: string, pause: (ms: number) => Promise<unknown>) => Promise<void>,
  { isContinued, again }: { isContinued: boolean; again: () => Promise<never> },
): Promise<void> {
  let starts = isContinued ? 1 : 0
  setHandler(defineSignal('trigger'), () => {
    starts += 1
  })
  // Waits for the signal of the start, which may arrive after the first task of the workflow.
  if (!isContinued) await condition(() => starts > 0, '1 minute')
  for (let runs = 1; starts > 0 && runs <= runsMax; runs += 1) {
    starts = 0
    await run(`${workflowInfo().runId}/${runs}`, (ms) => condition(() => starts > 0, ms))
    if (starts > 0 && isHistoryLong()) await again()
  }
}
