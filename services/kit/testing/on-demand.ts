import type { Workflows } from '../src/workflows/temporal.ts'

/**
 * Makes workers once a workflow is started or the client is asked for, and no schedules: most tests
 * need neither, and each worker is a thread with a copy of the workflows' code.
 */
export function workOnDemand(workflows: Workflows): Workflows {
  const waiting = new Set<() => void>()
  let isDemanded = false
  const demand = (): Workflows => {
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
