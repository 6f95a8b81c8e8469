import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import type { ServerProcess } from './server-process.ts'

const pollMs = 50

/**
 * Polls until the probe resolves. Otherwise stops the server.
 *
 * @throws {FatalError} when the server ends, or the probe does not resolve within the timeout
 */
export async function untilReady(options: {
  name: string
  server: ServerProcess
  timeoutMs: number
  probe: () => Promise<unknown>
}): Promise<void> {
  const { name, server, timeoutMs, probe } = options
  const deadline = performance.now() + timeoutMs
  try {
    await Promise.race([server.running, poll(probe, deadline, name)])
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function poll(probe: () => Promise<unknown>, deadline: number, name: string): Promise<void> {
  for (;;) {
    try {
      await probe()
      return
    } catch (error) {
      if (performance.now() > deadline) {
        throw new FatalError(`${name} does not answer: ${String(error)}`)
      }
    }
    await sleep(pollMs)
  }
}
