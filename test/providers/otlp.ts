import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** A span as the exporter sent it (opentelemetry/proto/trace/v1/trace.proto). */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** Number of SpanKind. */
  kind: number
  /** Nanoseconds since the Unix epoch. */
  start: bigint
  end: bigint
  /** Whether the status is an error. */
  hasFailed: boolean
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
}

/** An OTLP endpoint (protobuf over HTTP) that records what it receives. */
export interface OtlpSink extends AsyncDisposable {
  /** Settings with which every request is traced, and metrics are sent each second. */
  settings: Record<string, string>
  spans: ReceivedSpan[]
  /** Names of the received metrics. */
  metrics: Set<string>
  /** Attributes of the processes that sent spans or metrics, keyed by `service.instance.id`. */
  processes: Map<string, Record<string, unknown>>
  /** Everything received, as text. */
  text: () => string
}

/** Starts an OTLP endpoint on a free port. */
export async function startOtlpSink(): Promise<OtlpSink> {
  const spans: ReceivedSpan[] = []
  const metrics = new Set<string>()
  const processes: OtlpSink['processes'] = new Map()
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const sent = Buffer.concat(chunks)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    bodies.push(body)
    for (const resource of resourcesOf(body)) {
      processes.set(String(resource['service.instance.id']), resource)
    }
    if (request.url === '/v1/traces') spans.push(...spansOf(body))
    else for (const name of metricsOf(body)) metrics.add(name)
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      COFFER_TRACE_RATIO: '1',
      COFFER_OTLP_METRICS_SECONDS: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    spans,
    metrics,
    processes,
    text: () => Buffer.concat(bodies).toString('latin1'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Fields of a message by number: bytes, or numbers as text. */
type Fields = Map<number, (Uint8Array | string)[]>

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes)
  const fields: Fields = new Map()
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const all = fields.get(number) ?? []
    fields.set(number, all)
    if (type === WireType.LengthDelimited) all.push(reader.bytes())
    else if (type === WireType.Varint) all.push(String(reader.uint64()))
    else if (type === WireType.Bit64) all.push(String(reader.fixed64()))
    else reader.skip(type, number)
  }
  return fields
}

function messages(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).map((one) => fieldsOf(one as Uint8Array))
}

function bytes(fields: Fields, number: number): Buffer {
  return Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? [])
}

// ExportTraceServiceRequest.resource_spans (1) > ResourceSpans.scope_spans (2) > ScopeSpans.spans
// (2).
function spansOf(body: Buffer): ReceivedSpan[] {
  const resources = messages(fieldsOf(body), 1)
  const scopes = resources.flatMap((one) => messages(one, 2))
  return scopes.flatMap((one) => messages(one, 2)).map(spanOf)
}

function spanOf(span: Fields): ReceivedSpan {
  return {
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentSpanId: bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    kind: Number(span.get(6)?.[0]),
    start: BigInt(String(span.get(7)?.[0])),
    end: BigInt(String(span.get(8)?.[0])),
    hasFailed: messages(span, 15).some((status) => status.get(3)?.[0] === '2'),
    attributes: attributesIn(span, 9),
    links: messages(span, 13).map((link) => ({
      traceId: bytes(link, 1).toString('hex'),
      spanId: bytes(link, 2).toString('hex'),
    })),
  }
}

function attributesIn(fields: Fields, number: number): Record<string, unknown> {
  const pairs = messages(fields, number).map((pair) => [bytes(pair, 1).toString(), valueIn(pair)])
  return Object.fromEntries(pairs)
}

// Both requests: resource_spans or resource_metrics (1) > resource (1) > attributes (1).
function resourcesOf(body: Buffer): Record<string, unknown>[] {
  const resources = messages(fieldsOf(body), 1).flatMap((one) => messages(one, 1))
  return resources.map((one) => attributesIn(one, 1))
}

/** Value of a KeyValue (2): a text (1) or a whole number (3) of AnyValue. */
function valueIn(pair: Fields): unknown {
  const [value] = messages(pair, 2)
  const whole = value?.get(3)?.[0]
  if (whole !== undefined) return Number(whole)
  return value ? bytes(value, 1).toString() : undefined
}

// resource_metrics (1) > scope_metrics (2) > metrics (2) > name (1).
function metricsOf(body: Buffer): string[] {
  const resources = messages(fieldsOf(body), 1)
  const scopes = resources.flatMap((one) => messages(one, 2))
  return scopes.flatMap((one) => messages(one, 2)).map((metric) => bytes(metric, 1).toString())
}
