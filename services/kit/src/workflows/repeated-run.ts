import { condition, defineSignal, patched, setHandler, workflowInfo } from '@temporalio/workflow'
import { isHistoryLong } from './history.ts'

const runsMax = 20
const patch = 'counted-starts'

/**
 * Calls `run` for a start of the workflow, and again if further starts have arrived meanwhile: a
 * start of a running workflow is a signal. `runId` is unique to each call. `pause` sleeps until its
 * time is over, or a start arrives that no earlier pause of this call has noticed. Continue-as-new:
 * if a start is pending after 20 calls, or when `isHistoryLong`, calls `again`. The new run then
 * sets `isContinued`, so it does not wait for a start.
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
  let served = 0
  for (let runs = 1; starts > served && runs <= runsMax; runs += 1) {
    served = starts
    let noticed = served
    await run(`${workflowInfo().runId}/${runs}`, async (ms) => {
      // until 0.5: runs of a release before 0.4 do not pause after a start, and end after 20.
      const known = noticed > served && !patched(patch) ? served : noticed
      await condition(() => starts > known, ms)
      noticed = starts
    })
    if (starts > served && (isHistoryLong() || (runs === runsMax && patched(patch)))) await again()
  }
}
