import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { FatalError } from '../bootstrap/fatal-error.mjs'

/** TCP ports on 127.0.0.1. */
export type Ports = { postgres: number; nats: number; temporal: number }

/**
 * Range of the ports that `freePorts` returns: below the ephemeral ports, so that no outgoing
 * connection takes a port before the server does.
 */
const freePortRange = { from: 15_000, to: 30_000 }
const attemptsMax = 200

/** Throws FatalError naming the setting to change, when a process listens on the port. */
export async function requireFreePort(wanted: {
  port: number
  server: string
  setting: string
}): Promise<void> {
  const code = await bindError(wanted.port)
  if (code !== null) {
    throw new FatalError(
      `Port ${wanted.port} for ${wanted.server} ${code === 'EADDRINUSE' ? 'is in use' : code}. ` +
        `Free it, or set ${wanted.setting} to another port.`,
    )
  }
}

/** Returns `count` ports on which no process listens. Throws FatalError if it finds too few. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>()
  for (let attempt = 0; attempt < attemptsMax && found.size < count; attempt += 1) {
    const port = randomInt(freePortRange.from, freePortRange.to)
    if ((await bindError(port)) === null) {
      found.add(port)
    }
  }
  if (found.size < count) {
    throw new FatalError(`No ${count} free ports between ${Object.values(freePortRange)}.`)
  }
  return [...found]
}

function bindError(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      probe.close(() => resolve(null))
    })
  })
}
