import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodySizeMax } from './bodies/form.ts'

/** Bytes that are read and dropped of a form that is answered before its end. */
const restMax = 4 * bodySizeMax

/** How long a refused client may send nothing before its connection is closed. */
const silenceMsMax = 1_000

/**
 * `onSend` hook of routes that take a form: reads and drops the rest of one that is answered before
 * its end, because unread it would precede the next request on the connection. A rest that may
 * exceed 24 MiB is answered with `Connection: close` and a lingering close (RFC 9112, 9.6): closing
 * under a client that still sends would reset the connection, and the answer would be lost.
 * The request timeout bounds the whole.
 */
export async function closeAfterRest(
  { raw: body, headers }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (body.readableEnded || body.destroyed) return payload
  body.unpipe().resume()
  const isUnbounded = headers['transfer-encoding'] !== undefined
  const isLong = isUnbounded || Number(headers['content-length'] ?? 0) > restMax
  const goesOn = body.complete || (!isLong && reply.raw.shouldKeepAlive)
  if (goesOn || typeof payload !== 'string') return payload
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(payload))
  return Readable.from(sendThenLinger(payload, body))
}

async function* sendThenLinger(payload: string, body: IncomingMessage): AsyncGenerator<string> {
  yield payload
  await untilQuiet(body)
}

/** Resolves when the body has ended, has exceeded what is read of it, or has stopped arriving. */
async function untilQuiet(body: IncomingMessage): Promise<void> {
  if (body.readableEnded || body.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const silence = setTimeout(resolve, silenceMsMax)
  let left = restMax
  body.on('data', ({ length }: Buffer) => {
    silence.refresh()
    left -= length
    if (left < 0) resolve()
  })
  body.once('end', resolve).once('close', resolve)
  await promise
  clearTimeout(silence)
}
