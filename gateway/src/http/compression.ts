import { constants } from 'node:zlib'
import type { FastifyCompressOptions } from '@fastify/compress'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from './route.ts'

// The plugin has one set of options for gzip (level) and zstd (parameters).
const levels = { level: 3, params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * Compression of answers (docs/api/compression.md). Low levels: higher ones cost the process more
 * time than they save on the wire. Bodies of usual size are compressed at once, without a stream.
 * Bodies of requests are never decompressed: their bounds count the bytes that arrive.
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
 * as the length of a compressed body depends on the secret. Answers to files are sent before the
 * rest of the request has arrived, so no compressor may hold them back.
 */
export function isCompressible({ socket, file, hasSecret }: Route): boolean {
  return !socket && !file && !hasSecret
}

/**
 * Hook that leaves answers with a strong entity tag as they are: such a tag names the bytes of one
 * representation (RFC 9110, 8.8.3.3), and `If-Match` accepts no weak tag.
 */
export async function keepStrongTag(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && tag.startsWith('"')) request.headers['x-no-compression'] = '1'
}

/** Adds a request header on which the answer depends to `Vary` (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const names = String(reply.getHeader('vary') ?? '')
  if (names.split(', ').includes(name)) return
  reply.header('vary', names === '' ? name : `${names}, ${name}`)
}
