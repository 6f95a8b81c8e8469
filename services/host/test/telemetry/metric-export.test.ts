import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { startMetricExport } from '../../src/telemetry/metric-export.ts'
import { keepLogLines } from '../../testing/log-lines.ts'

test('an endpoint that is away is logged once, and a stop does not wait for it', async () => {
  let connections = 0
  const refused = Promise.withResolvers<void>()
  await using endpoint = createServer((socket) => {
    connections += 1
    socket.destroy()
    if (connections === 3) refused.resolve()
  })
  await once(endpoint.listen(0, '127.0.0.1'), 'listening')
  const { port } = endpoint.address() as AddressInfo
  const { log, lines } = keepLogLines()
  const options = { endpoint: `http://127.0.0.1:${port}`, parts: [], version: '0', log }
  const exporting = await startMetricExport({ ...options, seconds: 0.05 })
  await refused.promise
  await exporting[Symbol.asyncDispose]()
  const afterStop = connections
  const host = `127.0.0.1:${port}`
  expect(lines()).toEqual([
    expect.objectContaining({
      msg: `telemetry could not be exported to ${host}: see OTEL_EXPORTER_OTLP_ENDPOINT`,
    }),
  ])
  expect(lines()[0].reason).not.toContain('{')
  await new Promise(setImmediate)
  expect(connections).toBe(afterStop)
})
