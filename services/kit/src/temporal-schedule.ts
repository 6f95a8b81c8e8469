import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import type { Log } from './log.ts'

/** A schedule with the names it has on the server. */
export interface ScheduleOptions {
  id: string
  /** Name of the exported workflow function. */
  type: string
  taskQueue: string
  args: unknown[]
  /** Five-field cron text, in UTC. */
  cron: string
  log: Log
}

const attemptsMax = 30
const pauseMs = 2_000

/** Keeps schedules as they are defined. Disposing gives up what is not done yet. */
export interface Schedules extends AsyncDisposable {
  ensure: (schedule: ScheduleOptions) => Promise<void>
  remove: (scheduleId: string, log: Log) => void
}

/**
 * Makes schedules that are missing at once, and brings those that are there up to date in the
 * background, one after the other: a Temporal that was killed answers nothing about its schedules
 * for ten seconds and more, and runs them meanwhile.
 */
export function keepSchedules(client: Client): Schedules {
  const stopping = new AbortController()
  let renewals = Promise.resolve()
  return {
    ensure: async ({ id: scheduleId, type, taskQueue, args, cron, log }) => {
      const definition = {
        spec: { cronExpressions: [cron] },
        action: {
          type: 'startWorkflow' as const,
          workflowType: type,
          workflowId: scheduleId,
          taskQueue,
          args,
        },
        policies: {
          overlap: ScheduleOverlapPolicy.BUFFER_ONE,
          catchupWindow: '1 hour' as const,
        },
      }
      try {
        await client.schedule.create({ scheduleId, ...definition })
      } catch (error) {
        if (!(error instanceof ScheduleAlreadyRunning)) throw error
        const handle = client.schedule.getHandle(scheduleId)
        const renew = () => handle.update((previous) => ({ ...previous, ...definition }))
        renewals = renewals.then(() => retried(renew, { stop: stopping.signal, log }))
      }
    },
    remove: (scheduleId, log) => {
      const remove = () => client.schedule.getHandle(scheduleId).delete().catch(unlessMissing)
      renewals = renewals.then(() => retried(remove, { stop: stopping.signal, log }))
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await renewals
    },
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof ScheduleNotFoundError)) throw error
}

async function retried(
  work: () => Promise<void>,
  { stop, log }: { stop: AbortSignal; log: Log },
): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax && !stop.aborted; attempt += 1) {
    try {
      await work()
      return
    } catch (error) {
      const level = attempt === attemptsMax ? 'warn' : 'debug'
      log[level]({ err: error, attempt }, 'schedule not brought up to date')
    }
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
