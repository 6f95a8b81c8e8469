import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'

// Timeout in ms of a stream whose client reads nothing: its end makes room for another stream
// (docs/account-data.md#export).
const idleTimeoutMsDefault = 45_000

/**
 * Returns a function that streams a text as a file download while it is generated. Throws refused
 * with 429 if `max` downloads run in this process. If the text fails after its first part, the
 * connection is closed, so that clients notice the truncated file.
 */
export function createFileStreams({
  max,
  idleTimeoutMs = idleTimeoutMsDefault,
}: {
  max: number
  idleTimeoutMs?: number | undefined
}) {
  let running = 0
  return {
    start: (
      text: AsyncIterable<string>,
      to: { request: FastifyRequest; reply: FastifyReply; fileName: string },
    ): Readable => {
      if (running >= max) {
        throw refused(say('TOO_MANY_EXPORTS'), {
          status: 429,
          retryAfterSeconds: 30,
        })
      }
      running += 1
      const watch = watchSocket(to.request.raw.socket, idleTimeoutMs)
      to.reply.header('content-disposition', `attachment; filename="${to.fileName}"`)
      return Readable.from(text, { objectMode: false }).once('close', () => {
        watch.end()
        running -= 1
      })
    },
  }
}

/** Closes a connection after `idleMs` without traffic, until `end` is called. */
function watchSocket(socket: Socket, idleMs: number): { end: () => void } {
  const close = () => socket.destroy()
  socket.setTimeout(idleMs, close)
  return { end: () => socket.setTimeout(0).off('timeout', close) }
}
