import type { Workflows } from '../src/temporal.ts'

/**
 * Without what most tests have no use for: workers are made once somebody starts a workflow or asks
 * for the client (each is a thread and a copy of the workflows' code), and schedules not at all,
 * for what they start within the hour a test starts itself.
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
    schedule: async () => undefined,
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
