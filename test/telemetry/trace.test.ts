import { readFile } from 'node:fs/promises'
import { eventually } from '@coffer/host/testing/boot'
import { expect, test } from '@jest/globals'
import WebSocket from 'ws'
import { type Json, newPerson, type Person } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'
import { type ReceivedSpan, startOtlpSink } from '../providers/otlp.ts'

const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const clientSpan = '00f067aa0ba902b7'

/** Uploads a file within the trace of the client, and follows the import on a socket. */
async function upload(baseUrl: string, person: Person): Promise<Json[]> {
  const { path } = await person.createBankAccount(0)
  const content = await readFile(new URL('../data/checking.qfx', import.meta.url))
  const form = new FormData()
  form.set('data', new File([new Uint8Array(content)], 'a.qfx'))
  const headers = {
    authorization: person.authorization,
    traceparent: `00-${clientTrace}-${clientSpan}-01`,
  }
  const answer = await fetch(`${baseUrl}/api${path}/transactions/upload`, {
    method: 'POST',
    headers,
    body: form,
  })
  expect(answer.status).toBe(200)
  const { transactionUploadId } = (await answer.json()) as Json
  const url = `${baseUrl.replace('http', 'ws')}/api${path}/transactions/upload`
  const socket = new WebSocket(`${url}/${transactionUploadId}/progress`, {
    headers: { authorization: person.authorization },
  })
  const frames: Json[] = []
  return new Promise((resolve, reject) => {
    socket.on('message', (data) => frames.push(JSON.parse(data.toString())))
    socket.on('close', () => resolve(frames))
    socket.on('error', reject)
  })
}

/** One span of each kind that the upload of a file causes. */
const kinds: Record<string, RegExp> = {
  rest: /^POST \/api\/bank_accounts\/:bankAccountId\/transactions\/upload$/,
  rpc: /^coffer\.ledger\.v1\.UploadService\/CreateUpload$/,
  sql: /^INSERT \w+$/,
  publish: /^publish ledger\.upload-created$/,
  consume: /^handle ledger\./,
  'workflow start': /^start \w+$/,
  activity: /^activity \w+$/,
  socket: /^socket progress$/,
}

test('one trace has the request, calls, statements, events, workflow and socket', async () => {
  await using sink = await startOtlpSink()
  await using deployment = await deploy({
    COFFER_UPLOADS_ENABLED: 'true',
    COFFER_ALLOW_SIGN_UP: 'true',
    COFFER_LOG_LEVEL: 'info',
    ...sink.settings,
  })
  await deployment.start()
  const person = await newPerson(deployment.baseUrl)
  const frames = await upload(deployment.baseUrl, person)
  expect(frames.at(-1)).toMatchObject({ status: 'complete' })
  const missing = async () => {
    const own = sink.spans.filter(({ traceId }) => traceId === clientTrace)
    return Object.keys(kinds).filter((kind) => !own.some(({ name }) => kinds[kind]?.test(name)))
  }
  const left = await eventually(missing, ({ length }) => length === 0, 30_000).catch(() =>
    missing(),
  )
  const names = sink.spans.filter(({ traceId }) => traceId === clientTrace).map(({ name }) => name)
  expect([left, left.length === 0 ? [] : [...new Set(names)]]).toEqual([[], []])
  // A span is sent when it ends, so before its parent.
  await eventually(
    async () => strays(sink.spans),
    ({ length }) => length === 0,
    30_000,
  )
  const line = deployment
    .output()
    .split('\n')
    .find((one) => one.includes('transactions/upload') && one.includes(clientTrace))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ msg: 'request', traceId: clientTrace })
  await eventually(async () => sink.metrics.has('coffer_rpc_seconds'), Boolean, 10_000)
  expect([...sink.processes.values()]).toEqual([
    expect.objectContaining({ 'service.name': 'coffer', 'service.namespace': 'coffer' }),
  ])
})

/** Returns the spans of the client's trace whose parent is neither the client nor in the trace. */
function strays(spans: ReceivedSpan[]): string[] {
  const own = spans.filter(({ traceId }) => traceId === clientTrace)
  const known = new Set([clientSpan, ...own.map(({ spanId }) => spanId)])
  return own.filter(({ parentSpanId }) => !known.has(parentSpanId)).map(({ name }) => name)
}
