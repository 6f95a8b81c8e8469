import type { Attributes, SpanContext } from '@coffer/kit/telemetry/trace'

/** A span that has ended. Times are in ms since the Unix epoch, with fractions. */
export interface EndedSpan extends SpanContext {
  parentId: string | null
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  attributes: Attributes
  /** Attributes that are set at the end of the span; null without any. */
  more: Attributes | null
  link: SpanContext | null
  /** Type of the error of a failed span; null for others. */
  failure: string | null
  startMs: number
  endMs: number
}

// SpanKind of opentelemetry/proto/trace/v1/trace.proto.
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** Returns the tag of a length-delimited field (bytes, message or string). */
const bytesField = (field: number) => (field << 3) | 2

/**
 * Encodes spans for an ExportTraceServiceRequest (opentelemetry/proto/collector/trace/v1). A span
 * is encoded when it ends, so that no object outlives its request, which reduces garbage
 * collection.
 */
export class SpanEncoder {
  readonly #head: Uint8Array
  readonly #scope: Uint8Array
  #spans = Buffer.allocUnsafe(16_384)
  #length = 0
  #body = new Writer(4_096)
  readonly #kept = new WeakMap<Attributes, Uint8Array>()

  /** Takes the attributes of the process, and the name of the instrumentation scope. */
  constructor(resource: Attributes, scope: string) {
    const head = new Writer(4_096)
    head.reserve(resource, null)
    for (const name in resource) head.attribute(1, name, resource[name] ?? '')
    this.#head = framed(bytesField(1), head.taken())
    const named = new Writer(256)
    named.text(1, scope)
    this.#scope = framed(bytesField(1), named.taken())
  }

  /** Size in bytes of the encoded spans. */
  get length(): number {
    return this.#length
  }

  add(span: EndedSpan): void {
    const body = this.#body
    body.reserve(span.attributes, span.more, span.name.length + (span.failure?.length ?? 0))
    body.id(1, span.traceId, 16)
    body.id(2, span.spanId, 8)
    if (span.parentId !== null) body.id(4, span.parentId, 8)
    body.instant(7, span.startMs)
    body.instant(8, span.endMs)
    if (Object.isFrozen(span.attributes)) body.append(this.#keptFields(span))
    else writeFields(body, span)
    for (const name in span.more) body.attribute(9, name, span.more[name] ?? '')
    if (span.link !== null) body.link(13, span.link)
    if (span.failure !== null) {
      body.attribute(9, 'error.type', span.failure)
      body.failed(15)
    }
    this.#append(body)
  }

  /** Returns the request with all added spans, and begins a new one. */
  take(): Uint8Array {
    const spans = this.#spans.subarray(0, this.#length)
    const scopeSpans = framed(bytesField(2), Buffer.concat([this.#scope, spans]))
    this.#length = 0
    return framed(bytesField(1), Buffer.concat([this.#head, scopeSpans]))
  }

  /**
   * Cache: returns the encoded name, kind and attributes of spans with the same frozen attributes.
   */
  #keptFields(span: EndedSpan): Uint8Array {
    const known = this.#kept.get(span.attributes)
    if (known) return known
    const writer = new Writer(0)
    writer.reserve(span.attributes, null, span.name.length)
    writeFields(writer, span)
    const fields = writer.taken()
    this.#kept.set(span.attributes, fields)
    return fields
  }

  #append(body: Writer): void {
    const most = this.#length + body.length + 6
    if (most > this.#spans.length) {
      const wider = Buffer.allocUnsafe(2 * most)
      this.#spans.copy(wider, 0, 0, this.#length)
      this.#spans = wider
    }
    this.#spans[this.#length++] = bytesField(2)
    this.#length = writeVarint(this.#spans, this.#length, body.length)
    this.#length = body.moveTo(this.#spans, this.#length)
  }
}

function writeFields(body: Writer, { name, kind, attributes }: EndedSpan): void {
  body.text(5, name)
  body.number(6, kinds[kind])
  for (const key in attributes) body.attribute(9, key, attributes[key] ?? '')
}

/**
 * Writes the fields of one message in Protocol Buffers encoding. Field numbers are below 16, so
 * each tag is one byte.
 */
class Writer {
  #bytes: Buffer
  length = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size)
  }

  /**
   * Grows the buffer until the message fits: the attributes, `others` further characters, and 512
   * bytes for all other fields.
   */
  reserve(attributes: Attributes, more: Attributes | null, others = 0): void {
    const characters = others + charactersOf(attributes) + (more === null ? 0 : charactersOf(more))
    // A character of UTF-16 takes at most three bytes in UTF-8.
    const most = 3 * characters + 512
    if (most > this.#bytes.length) this.#bytes = Buffer.allocUnsafe(2 * most)
  }

  id(field: number, hex: string, size: number): void {
    this.#bytes[this.length++] = bytesField(field)
    this.#bytes[this.length++] = size
    this.#bytes.write(hex, this.length, 'hex')
    this.length += size
  }

  text(field: number, text: string): void {
    this.#bytes[this.length++] = bytesField(field)
    // The size precedes the text. Computing it first is cheap, because most texts are ASCII.
    const size = Buffer.byteLength(text)
    this.length = writeVarint(this.#bytes, this.length, size)
    this.#bytes.write(text, this.length)
    this.length += size
  }

  number(field: number, value: number): void {
    this.#bytes[this.length++] = field << 3
    this.length = writeVarint(this.#bytes, this.length, value)
  }

  /** Writes a fixed64 of ns since the epoch, exact to 256 ns, because `ms` is a double. */
  instant(field: number, ms: number): void {
    this.#bytes[this.length++] = (field << 3) | 1
    const nanos = Math.floor(ms * 1e6)
    const low = nanos % 2 ** 32
    this.#word(low)
    this.#word((nanos - low) / 2 ** 32)
  }

  /** Writes 32 bits, little-endian. */
  #word(value: number): void {
    const bytes = this.#bytes
    bytes[this.length++] = value
    bytes[this.length++] = value >>> 8
    bytes[this.length++] = value >>> 16
    bytes[this.length++] = value >>> 24
  }

  append(fields: Uint8Array): void {
    this.#bytes.set(fields, this.length)
    this.length += fields.length
  }

  /** Writes a KeyValue: field 1 is the key, 2 an AnyValue with a string (1) or an integer (3). */
  attribute(field: number, name: string, value: string | number): void {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : varintSize(value)
    const valueSize = 1 + size + (typeof value === 'string' ? varintSize(size) : 0)
    const nameSize = Buffer.byteLength(name)
    const all = 1 + varintSize(nameSize) + nameSize + 1 + varintSize(valueSize) + valueSize
    this.#bytes[this.length++] = bytesField(field)
    this.length = writeVarint(this.#bytes, this.length, all)
    this.text(1, name)
    this.#bytes[this.length++] = bytesField(2)
    this.length = writeVarint(this.#bytes, this.length, valueSize)
    if (typeof value === 'string') this.text(1, value)
    else this.number(3, value)
  }

  link(field: number, { traceId, spanId }: SpanContext): void {
    this.#bytes[this.length++] = bytesField(field)
    this.#bytes[this.length++] = 28
    this.id(1, traceId, 16)
    this.id(2, spanId, 8)
  }

  /** Writes a Status, whose field 3 (code) is ERROR (2). */
  failed(field: number): void {
    this.#bytes[this.length++] = bytesField(field)
    this.#bytes[this.length++] = 2
    this.number(3, 2)
  }

  /** Moves the message to an offset of a buffer; returns the offset after it. */
  moveTo(target: Buffer, at: number): number {
    this.#bytes.copy(target, at, 0, this.length)
    const end = at + this.length
    this.length = 0
    return end
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }
}

function charactersOf(attributes: Attributes): number {
  let sum = 0
  for (const name in attributes) {
    const value = attributes[name]
    sum += 16 + name.length + (typeof value === 'string' ? value.length : 0)
  }
  return sum
}

function framed(tag: number, content: Uint8Array): Uint8Array {
  const head = Buffer.alloc(6)
  head[0] = tag
  const end = writeVarint(head, 1, content.length)
  return Buffer.concat([head.subarray(0, end), content])
}

function writeVarint(bytes: Uint8Array, from: number, value: number): number {
  let at = from
  let left = value
  while (left > 127) {
    bytes[at++] = (left & 127) | 128
    left = Math.floor(left / 128)
  }
  bytes[at++] = left
  return at
}

function varintSize(value: number): number {
  let size = 1
  for (let left = value; left > 127; left = Math.floor(left / 128)) size++
  return size
}
