import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { ActivityFailure } from '@temporalio/workflow'
import type { syncSweeps } from '../syncs/sync-sweep.activities.ts'

const heartbeatTimeout = '10 seconds'

/**
 * Returns the activities of a sync for its workflow. `states` (begin and end) are retried until
 * they succeed; `work` (the other steps) for about two minutes. `workTimeout`: timeout of one
 * attempt of `work`.
 */
export function syncActivities<Activities>(
  service: string,
  { workTimeout }: { workTimeout: '10 minutes' | '15 minutes' },
) {
  return {
    states: activitiesOf<Activities>(service, {
      startToCloseTimeout: '1 minute',
      heartbeatTimeout,
      retry: { maximumInterval: '1 minute' },
    }),
    work: activitiesOf<Activities>(service, {
      startToCloseTimeout: workTimeout,
      heartbeatTimeout,
      retry: { maximumAttempts: 8, maximumInterval: '30 seconds' },
    }),
  }
}

/** Returns whether an error means that a step failed after all its repetitions. */
export function isStepFailure(error: unknown): boolean {
  return error instanceof ActivityFailure
}

/**
 * Starts syncs of a service that are due or were lost, page by page; `place` resumes a former run.
 */
export async function sweepSyncs(service: string, place: Place | undefined): Promise<void> {
  const activities = activitiesOf<ReturnType<typeof syncSweeps>>(service, {
    startToCloseTimeout: '2 minutes',
    heartbeatTimeout,
  })
  const steps = [
    paged<string[]>([], activities.restartSyncs),
    paged<string[]>([], activities.startDueSyncs),
  ]
  await runSteps(steps, place)
}
