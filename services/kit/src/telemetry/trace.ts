import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Names, integers and IDs of requests; never contents of rows or values of parameters. Frozen
 * attributes must belong to one name and kind of span, because their encoding is cached.
 */
export type Attributes = Readonly<Record<string, string | number>>

/** A sampled span: 32 and 16 hexadecimal digits. */
export interface SpanContext {
  traceId: string
  spanId: string
}

type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/** A span to start; without `parentId`, it is the root span of its trace. */
export interface NewSpan {
  name: string
  kind: SpanKind
  attributes: Attributes
  /** ID of its trace; a root span begins the trace. */
  traceId: string
  parentId: string | null
  link: SpanContext | null
}

/** A span that is being recorded. */
export interface RecordedSpan extends SpanContext {
  /** Marks the span as failed, with the type of the error. */
  fail: (type: string) => void
  end: (attributes?: Attributes) => void
}

/** Records spans; the host implements it. */
export interface Tracer {
  newTraceId: () => string
  /** Whether the spans of a trace are recorded. All processes decide the same for a trace ID. */
  isSampled: (traceId: string) => boolean
  start: (span: NewSpan) => RecordedSpan
}

let tracer: Tracer | null = null
const active = new AsyncLocalStorage<SpanContext | undefined>()

/** Turns tracing on; null turns it off. Called by the host. */
export function bindTracer(bound: Tracer | null): void {
  tracer = bound
}

/** Returns whether this process creates spans for sampled requests. */
export function isTracing(): boolean {
  return tracer !== null
}

/** Header that carries a span between processes (W3C Trace Context). */
export const traceHeader = 'traceparent'

const traceparentText = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

export interface SpanOptions {
  kind: SpanKind
  attributes?: Attributes
  /** `traceparent` of the span that caused this one; the active span by default. */
  parent?: string | null
  /** `traceparent` of another span that requested the same work. */
  link?: string | null
}

/** Returns `traceparent` of the active span; null if there is none, or it is not sampled. */
export function currentTraceparent(): string | null {
  const span = currentSpan()
  return span ? `00-${span.traceId}-${span.spanId}-01` : null
}

/** Returns the trace ID of the active span; undefined without a sampled one. */
export function currentTraceId(): string | undefined {
  return currentSpan()?.traceId
}

function currentSpan(): SpanContext | undefined {
  return tracer === null ? undefined : active.getStore()
}

/** Runs work outside of any span, such as logging about tracing itself. */
export function withoutSpan<T>(work: () => T): T {
  return active.run(undefined, work)
}

/**
 * Runs `run` in a child span of a sampled span; without a sampled parent, runs it without a span. A
 * failed span has the type of the error, but not its message, which may quote values.
 */
export async function traced<T>(
  name: string,
  options: SpanOptions,
  run: () => Promise<T>,
): Promise<T> {
  const span = startChild(name, options)
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
export function startChild(name: string, options: SpanOptions): StartedSpan | null {
  if (tracer === null) return null
  const { parent: text } = options
  const parent = text === undefined ? active.getStore() : sampledIn(text, tracer)
  if (!parent) return null
  return new Started(name, options, { tracer, traceId: parent.traceId, parentId: parent.spanId })
}

/**
 * Starts the first span within this deployment. The trace ID, which may come from the client's
 * `traceparent` (`parent`), decides on sampling; returns null if it is not sampled.
 */
export function startRoot(name: string, options: SpanOptions): StartedSpan | null {
  if (tracer === null) return null
  const client = parse(options.parent ?? null)
  const traceId = client?.traceId ?? tracer.newTraceId()
  if (!tracer.isSampled(traceId)) return null
  return new Started(name, options, { tracer, traceId, parentId: client?.spanId ?? null })
}

type Place = Pick<NewSpan, 'traceId' | 'parentId'> & { tracer: Tracer }

const none: Attributes = {}

class Started implements StartedSpan {
  readonly #span: RecordedSpan

  constructor(name: string, options: SpanOptions, { tracer: recorder, traceId, parentId }: Place) {
    const { kind, attributes = none } = options
    const link = options.link ? parse(options.link) : null
    this.#span = recorder.start({ name, kind, attributes, traceId, parentId, link })
  }

  run<T>(work: () => T): T {
    return active.run(this.#span, work)
  }

  fail(error: unknown): void {
    this.#span.fail(typeOf(error))
  }

  end(attributes?: Attributes): void {
    this.#span.end(attributes)
  }
}

/** Returns an error's code if it has one (SQLSTATE, code of an RPC), else the name of its class. */
function typeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return String(typeof code === 'string' || typeof code === 'number' ? code : (name ?? 'unknown'))
}

/**
 * Returns the span in a `traceparent` that is sampled by the sender and by this process; else null.
 */
function sampledIn(traceparent: string | null, recorder: Tracer): SpanContext | null {
  const found = parse(traceparent)
  return found?.isSampled && recorder.isSampled(found.traceId) ? found : null
}

const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

/** Parses a `traceparent` (W3C Trace Context 3.2); null if it is malformed. */
function parse(traceparent: string | null): (SpanContext & { isSampled: boolean }) | null {
  const [, traceId, spanId, flags] = traceparentText.exec(traceparent ?? '') ?? []
  if (!traceId || !spanId || !flags || traceId === noTrace || spanId === noSpan) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) !== 0 }
}
