import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodySizeMax } from '../http/bodies/body-bounds.ts'

/** Maximum number of bytes of a form that are read and discarded after an early answer. */
const restMax = 4 * bodySizeMax

/** Timeout in ms without data, after which the connection of a refused form is closed. */
const silenceTimeoutMs = 1_000

/**
 * Lingering close (RFC 9112, 9.6): reads and discards the rest of a form after an early answer,
 * because unread bytes would precede the next request. It is the `onSend` hook of routes with
 * forms. If the rest may exceed 24 MiB, the answer has `Connection: close`, and the connection
 * closes once the client stops sending. An immediate close would reset the connection and lose the
 * answer. The request timeout limits the duration.
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
  const staysOpen = body.complete || (!isLong && reply.raw.shouldKeepAlive)
  if (staysOpen || typeof payload !== 'string') return payload
  reply.header('connection', 'close').header('content-length', Buffer.byteLength(payload))
  return Readable.from(sendThenLinger(payload, body))
}

async function* sendThenLinger(payload: string, body: IncomingMessage): AsyncGenerator<string> {
  yield payload
  await untilQuiet(body)
}

/** Resolves when the body ends, exceeds the limit of discarded bytes, or stalls. */
async function untilQuiet(body: IncomingMessage): Promise<void> {
  if (body.readableEnded || body.destroyed) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const silence = setTimeout(resolve, silenceTimeoutMs)
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
