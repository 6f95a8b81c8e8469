import { resourceAttributes } from '@coffer/host/telemetry/resource'
import { startTracing } from '@coffer/host/telemetry/tracing'
import { keepLogLines } from '@coffer/host/testing/log-lines'
import {
  currentTraceId,
  currentTraceparent,
  startChild,
  startRoot,
  traced,
} from '@coffer/kit/telemetry/trace'
import { afterEach, expect, test } from '@jest/globals'
import { type OtlpSink, startOtlpSink } from '../providers/otlp.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = `00-${trace}-00f067aa0ba902b7-01`
const link = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const version = '1.2.3'

function start(sink: OtlpSink, ratio = 1) {
  const endpoint = sink.settings.OTEL_EXPORTER_OTLP_ENDPOINT ?? ''
  return startTracing({ ratio, endpoint, parts: ['ledger'], version, log: keepLogLines().log })
}

afterEach(() => {
  delete process.env.OTEL_RESOURCE_ATTRIBUTES
  delete process.env.OTEL_SERVICE_NAME
})

test('a collector gets each span as it was', async () => {
  await using sink = await startOtlpSink()
  const tracing = await start(sink)
  const before = BigInt(Date.now()) * 1_000_000n
  const root = startRoot('POST /api/links', {
    kind: 'server',
    parent,
    attributes: { a: 'ü'.repeat(9_000) },
  })
  const failure = Object.assign(new Error('secret'), { code: '23505' })
  const attributes = Object.freeze({ 'db.system.name': 'postgresql', rows: 200 })
  await root?.run(async () => {
    expect(currentTraceId()).toBe(trace)
    await traced('INSERT links', { kind: 'client', attributes }, async () => {
      throw failure
    }).catch(() => undefined)
    await traced('INSERT links', { kind: 'client', attributes, link }, async () => undefined)
  })
  expect(currentTraceparent()).toBeNull()
  root?.end({ 'http.response.status_code': 409 })
  await tracing[Symbol.asyncDispose]()
  const [failed, linked, request] = sink.spans
  expect(sink.spans).toHaveLength(3)
  expect(request).toMatchObject({
    traceId: trace,
    parentSpanId: '00f067aa0ba902b7',
    name: 'POST /api/links',
    kind: 2,
    hasFailed: false,
    attributes: { a: 'ü'.repeat(9_000), 'http.response.status_code': 409 },
  })
  const statement = { traceId: trace, parentSpanId: request?.spanId, name: 'INSERT links', kind: 3 }
  expect(failed).toMatchObject({
    ...statement,
    hasFailed: true,
    attributes: { ...attributes, 'error.type': '23505' },
    links: [],
  })
  expect(linked).toMatchObject({
    ...statement,
    hasFailed: false,
    attributes,
    links: [{ traceId: link.slice(3, 35), spanId: link.slice(36, 52) }],
  })
  const times = [before, request?.start, failed?.start, failed?.end, linked?.start, request?.end]
  // Milliseconds of the system clock and the monotonic clock differ by less than 50 ms.
  const shifted = times.map((time, index) => (index === 0 ? before - 50_000_000n : (time ?? 0n)))
  expect(shifted).toEqual([...shifted].sort((a, b) => (a < b ? -1 : 1)))
  expect(startChild('late', { kind: 'client', parent })).toBeNull()
  expect([...sink.processes.values()]).toEqual([resourceAttributes({ parts: ['ledger'], version })])
})

test('the trace ID decides on the share, also for traces of clients', async () => {
  await using sink = await startOtlpSink()
  await using _tracing = await start(sink, 0.25)
  const low = `00-${'f'.repeat(18)}3fffffffffffff-00f067aa0ba902b7-01`
  const high = `00-${'0'.repeat(18)}c0000000000000-00f067aa0ba902b7-01`
  const isTraced = (text: string) =>
    [startRoot, startChild].map((begin) => begin('x', { kind: 'server', parent: text }) !== null)
  expect([low, high].map(isTraced)).toEqual([
    [false, false],
    [true, true],
  ])
  expect(startChild('x', { kind: 'server', parent: high.replace(/01$/, '00') })).toBeNull()
  const roots = Array.from({ length: 4_000 }, () => startRoot('x', { kind: 'server' }))
  const share = roots.filter((root) => root !== null).length / roots.length
  // Six standard deviations on both sides.
  expect(share).toBeGreaterThan(0.209)
  expect(share).toBeLessThan(0.291)
})

test.each([
  [['ledger'], {}, 'coffer-ledger', 'coffer'],
  [['gateway'], {}, 'coffer-gateway', 'coffer'],
  [['gateway', 'identity', 'ledger'], {}, 'coffer', 'coffer'],
  [['ledger'], { OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=budget' }, 'coffer-ledger', 'budget'],
  [['ledger'], { OTEL_SERVICE_NAME: 'money' }, 'money', 'coffer'],
])('a process of %j with %j is named', (parts, env, name, namespace) => {
  Object.assign(process.env, env)
  expect(resourceAttributes({ parts, version })).toMatchObject({
    'service.name': name,
    'service.namespace': namespace,
    'service.version': version,
    'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
})
