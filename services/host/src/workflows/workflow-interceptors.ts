import {
  ContinueAsNew,
  type Headers,
  proxySinks,
  type Sinks,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow'
import { linkHeader } from './trace-headers.ts'

/** Sinks: calls from a workflow to its process, which leave no event in the history. */
export interface WorkflowSinks extends Sinks {
  metrics: { countFailure: (type: string) => void }
}

const { metrics } = proxySinks<WorkflowSinks>()

// The header `traceparent`, as in kit's `trace.ts`, which workflows cannot load.
const traceHeader = 'traceparent'

/**
 * Interceptors in the workflows' sandbox, part of their bundle. They pass the span that started the
 * workflow to its activities, in a header. They add no command, and replays do not compare headers,
 * so releases without them can replay the same histories.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const sent: Headers = {}
  return {
    inbound: [
      {
        execute: async (input, next) => {
          const traceparent = input.headers[traceHeader]
          if (traceparent) sent[traceHeader] = traceparent
          try {
            return await next(input)
          } catch (error) {
            if (!(error instanceof ContinueAsNew)) {
              metrics.countFailure(workflowInfo().workflowType)
            }
            throw error
          }
        },
        handleSignal: (input, next) => {
          const traceparent = input.headers[traceHeader]
          if (traceparent) sent[linkHeader] = traceparent
          return next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) =>
          next({ ...input, headers: { ...input.headers, ...sent } }),
      },
    ],
  }
}
