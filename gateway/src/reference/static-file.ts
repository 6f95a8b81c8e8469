import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { isNotModified } from '../http/conditional-request.ts'

/** A file with the same content in every answer of this version of Coffer, without secrets. */
export interface StaticFile {
  type: string
  /** The first 16 characters of the SHA-256 of its bytes (base64url). */
  hash: string
  bytes: Buffer
  /** Returns its bytes in a content coding, computed once and cached. */
  encoded: (coding: Coding) => Promise<Buffer>
}

type Coding = 'br' | 'gzip'

const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_LGWIN]: 22 },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}

/** Returns a static file of this content; `type` is its media type with the charset. */
export function staticFile(type: string, content: string | Buffer): StaticFile {
  const bytes = Buffer.from(content)
  const kept = new Map<Coding, Promise<Buffer>>()
  return {
    type,
    hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 16),
    bytes,
    encoded: (coding) => {
      const found = kept.get(coding) ?? encoders[coding](bytes)
      kept.set(coding, found)
      return found
    },
  }
}

/**
 * Sends a static file, compressed if the client accepts it (RFC 9110, 12.5.3), or 304 if the client
 * has it already. A URL with its hash in `v` is immutable (RFC 8246); other URLs are revalidated at
 * each use. The tag is weak, because it is the same for every content coding.
 */
export async function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): Promise<FastifyReply> {
  const tag = `W/"${file.hash}"`
  const { v } = request.query as { v?: string }
  const isImmutable = v === file.hash
  reply.headers({
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: tag,
    vary: 'accept-encoding',
  })
  if (isNotModified(request, tag)) return reply.code(304).send()
  reply.header('content-type', file.type)
  const accepted = new Negotiator(request.raw).encodings(['br', 'gzip'])
  const coding = (['br', 'gzip'] as const).find((one) => accepted.includes(one))
  if (coding === undefined || file.bytes.length < 1024) return reply.send(file.bytes)
  return reply.header('content-encoding', coding).send(await file.encoded(coding))
}
