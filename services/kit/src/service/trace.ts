import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'

const tracer = trace.getTracer('coffer')
let isEnabled = false

/** Turns tracing on or off; the host does so when it has a tracer provider. */
export function enableTracing(isOn: boolean): void {
  isEnabled = isOn
}

/** Returns whether this process creates spans for sampled requests. */
export function isTracing(): boolean {
  return isEnabled
}

/** Header that carries a span between processes (W3C Trace Context). */
export const traceHeader = 'traceparent'

const traceparentText = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

type SpanKindName = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

const kinds: Record<SpanKindName, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

export interface SpanOptions {
  kind: SpanKindName
  /** Names, numbers and IDs of requests; never contents of rows or values of parameters. */
  attributes?: Attributes
  /** `traceparent` of the span that caused this one; the active span by default. */
  parent?: string | null
  /** `traceparent` of another span that asked for the same work. */
  link?: string | null
}

/** Returns `traceparent` of the active span; null if there is none, or it is not sampled. */
export function currentTraceparent(): string | null {
  if (!isEnabled) return null
  const found = trace.getSpanContext(context.active())
  if (!found || !isSampled(found)) return null
  return `00-${found.traceId}-${found.spanId}-01`
}

/** Returns the trace ID of the active span; undefined without a sampled one. */
export function currentTraceId(): string | undefined {
  return currentTraceparent()?.split('-')[1]
}

/**
 * Runs `run` in a span that is a child of a sampled one; without such a parent, without a span. A
 * failed span has the type of the error, not its message, which may quote values.
 */
export async function traced<T>(
  name: string,
  options: SpanOptions,
  run: () => Promise<T>,
): Promise<T> {
  const span = isEnabled ? startChild(name, options) : null
  if (!span) return run()
  try {
    return await span.run(run)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

/** A started span. `run` runs work in it: spans of that work become its children. */
export interface StartedSpan {
  run: <T>(work: () => T) => T
  fail: (error: unknown) => void
  end: (attributes?: Attributes) => void
}

/** Starts a child of a sampled span; returns null without a sampled parent. */
export function startChild(name: string, { parent, ...options }: SpanOptions): StartedSpan | null {
  if (!isEnabled) return null
  const within = parent === undefined ? context.active() : contextOf(parent)
  const known = trace.getSpanContext(within)
  return known && isSampled(known) ? started(name, options, within) : null
}

/**
 * Starts the first span of this deployment. The sampler decides on it by the trace ID, which
 * `parent` (the client's `traceparent`) may give; returns null if it is not sampled.
 */
export function startRoot(name: string, { parent, ...options }: SpanOptions): StartedSpan | null {
  if (!isEnabled) return null
  const root = started(name, options, contextOf(parent ?? null))
  return root.span.isRecording() ? root : null
}

function started(
  name: string,
  { kind, attributes = {}, link }: SpanOptions,
  within: Context,
): StartedSpan & { span: Span } {
  const linked = link ? trace.getSpanContext(contextOf(link)) : undefined
  const links = linked ? [{ context: linked }] : []
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, links }, within)
  return {
    span,
    run: (work) => context.with(trace.setSpan(within, span), work),
    fail: (error) => {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.setAttribute('error.type', typeOf(error))
    },
    end: (more = {}) => span.setAttributes(more).end(),
  }
}

/** Returns an error's code if it has one (SQLSTATE, code of an RPC), else the name of its class. */
function typeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return String(typeof code === 'string' || typeof code === 'number' ? code : (name ?? 'unknown'))
}

function isSampled({ traceFlags }: { traceFlags: number }): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0
}

/** Returns the context of a `traceparent`; one without a span if the text is null or malformed. */
function contextOf(traceparent: string | null): Context {
  const [, traceId = '', spanId = '', flags = '00'] = traceparentText.exec(traceparent ?? '') ?? []
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(found) ? trace.setSpanContext(ROOT_CONTEXT, found) : ROOT_CONTEXT
}
