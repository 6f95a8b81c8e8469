import type { Writable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** Calls a function once when the stream closes; at once if it has been destroyed. */
export function whenClosed(stream: Writable, call: () => void): void {
  if (stream.destroyed) call()
  else stream.once('close', call)
}

/** Returns a signal that aborts when the client closes its connection. */
export function signalOfClose({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController()
  whenClosed(raw, () => closed.abort())
  return closed.signal
}
