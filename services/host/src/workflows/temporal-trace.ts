import { currentTraceparent, type SpanOptions, traceHeader } from '@coffer/kit/telemetry/trace'
import type { WorkflowClientInterceptor } from '@temporalio/client'
import { defaultPayloadConverter, type Headers } from '@temporalio/common'
import { linkHeader } from './trace-headers.ts'

/** Client interceptor that sends the active span with the start of a workflow. */
export const sendTrace: WorkflowClientInterceptor = {
  signalWithStart: (input, next) => {
    const traceparent = currentTraceparent()
    if (traceparent === null) return next(input)
    const sent = { [traceHeader]: defaultPayloadConverter.toPayload(traceparent) }
    return next({ ...input, headers: { ...input.headers, ...sent } })
  },
}

/**
 * Returns the span that started the workflow of an activity, and that of the last start that joined
 * the running workflow.
 */
export function causesOf(headers: Headers): Pick<SpanOptions, 'parent' | 'link'> {
  const parent = textOf(headers[traceHeader])
  const link = textOf(headers[linkHeader])
  return { parent, link: link === parent ? null : link }
}

function textOf(payload: Headers[string] | undefined): string | null {
  if (!payload) return null
  const text = defaultPayloadConverter.fromPayload(payload)
  return typeof text === 'string' ? text : null
}
