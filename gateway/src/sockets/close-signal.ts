import type { FastifyReply } from 'fastify'

/** Returns a signal that aborts when the client closes its connection. */
export function signalOfClose({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController()
  raw.once('close', () => closed.abort())
  if (raw.destroyed) closed.abort()
  return closed.signal
}
