import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from '@jest/globals'
import { freePorts, requireFreePort } from '../src/ports.ts'

test('a port in use is refused in one line that names the setting', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const wanted = { port, server: 'NATS', setting: 'COFFER_NATS_PORT' }
  await expect(requireFreePort(wanted)).rejects.toThrow(
    `Port ${port} for NATS is in use. Free it, or set COFFER_NATS_PORT to another port.`,
  )
  server.close()
  await once(server, 'close')
  await expect(requireFreePort(wanted)).resolves.toBeUndefined()
})

test('free ports are distinct, free and below the ephemeral ports', async () => {
  const ports = await freePorts(5)
  expect(new Set(ports).size).toBe(5)
  for (const port of ports) {
    expect(port).toBeLessThan(32_768)
    await requireFreePort({ port, server: 'a test', setting: 'none' })
  }
})
