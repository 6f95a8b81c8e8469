import {
  ContinueAsNew,
  type Headers,
  proxySinks,
  type Sinks,
  type WorkflowInterceptorsFactory,
  workflowInfo,
} from '@temporalio/workflow'
import { linkHeader } from './trace-headers.ts'

/** Calls from a workflow to its process; they leave no event in the history. */
export interface WorkflowSinks extends Sinks {
  metrics: { countFailure: (type: string) => void }
}

const { metrics } = proxySinks<WorkflowSinks>()

// The header `traceparent` (kit's `trace.ts`, which workflows cannot load).
const traceHeader = 'traceparent'

/**
 * Interceptors in the workflows' sandbox, part of their bundle. A header tells activities the span
 * that started the workflow. No command is added, and a replay does not compare headers, so
 * versions without these interceptors replay the same histories.
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
