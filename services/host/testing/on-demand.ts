import type { Temporal } from '../src/workflows/temporal.ts'

/**
 * Starts Temporal workers only when a workflow starts or the client is used; creates no schedules.
 * Each worker is a thread with a copy of the workflow code, which most tests do not need.
 */
export function workOnDemand(workflows: Temporal): Temporal {
  const waiting = new Set<() => void>()
  let isDemanded = false
  const demand = (): Temporal => {
    isDemanded = true
    for (const begin of waiting) begin()
    waiting.clear()
    return workflows
  }
  return {
    ...workflows,
    get client() {
      return demand().client
    },
    start: (workflow) => demand().start(workflow),
    schedule: () => undefined,
    unschedule: () => undefined,
    work: async (options) => {
      if (isDemanded) return workflows.work(options)
      let worker: Promise<AsyncDisposable> | undefined
      const begin = () => {
        worker = workflows.work(options)
      }
      waiting.add(begin)
      return {
        [Symbol.asyncDispose]: async () => {
          waiting.delete(begin)
          await (await worker)?.[Symbol.asyncDispose]()
        },
      }
    },
  }
}
