import { constants } from 'node:zlib'
import type { FastifyCompressOptions } from '@fastify/compress'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Route } from './route.ts'

// The plugin takes one set of options for gzip (`level`) and zstd (`params`).
const levels = { level: 3, params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Compression of answers (docs/api/compression.md). Low levels: higher ones cost more time in the
 * process than they save in transfer. Bodies of usual size are compressed synchronously, without a
 * stream. Request bodies are never decompressed: their limits count the received bytes.
 */
export const compression: FastifyCompressOptions = {
  encodings: ['zstd', 'br', 'gzip'],
  threshold: 1024,
  syncThreshold: 64 * 1024,
  globalDecompression: false,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } },
  zlibOptions: levels,
}

/**
 * Returns whether answers of a route may be compressed. BREACH: an answer with a new secret is not,
 * as the compressed length depends on the secret. Answers to file uploads are sent before the
 * request has ended, so a compressor must not buffer them.
 */
export function isCompressible({ socket, file, hasSecret }: Route): boolean {
  return !socket && !file && !hasSecret
}

/**
 * Hook that exempts answers with a strong entity tag from compression: such a tag identifies the
 * bytes of one representation (RFC 9110, 8.8.3.3), and `If-Match` accepts no weak tag.
 */
export function keepStrongTag(
  request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: HookHandlerDoneFunction,
): void {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && tag.startsWith('"')) request.headers['x-no-compression'] = '1'
  done()
}

/** Adds a request header that the answer depends on to `Vary` (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '')
  if (names.split(', ').includes(name)) return
  reply.header('vary', names === '' ? name : `${names}, ${name}`)
}
