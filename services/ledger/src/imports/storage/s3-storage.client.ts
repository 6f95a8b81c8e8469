import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { onDemand } from '@coffer/kit/service/on-demand'
import { nameOf, parseName, type Storage } from './storage.ts'

export interface S3Settings {
  bucket: string
  region: string
  /** URL of an S3-compatible server; null for AWS. */
  endpoint: string | null
  /** Whether URLs have the bucket in the path instead of the host name. */
  pathStyle: boolean
}

const folder = 'files/'
const silence = () => undefined
// Keeps the SDK from logging, because it also throws the errors, which the caller logs.
const logger = { trace: silence, debug: silence, info: silence, warn: silence, error: silence }
const callMs = 8_000

/**
 * Returns a storage in a bucket of S3 or a compatible server (docs/running/stored-files.md). A
 * file is spooled to disk before its one PUT request, so an incomplete upload never reaches the
 * server.
 */
export function createS3Storage(settings: S3Settings): Storage {
  const { bucket: Bucket } = settings
  // Lazy import: the SDK takes most of a second to load, and only servers with S3 need it.
  const openClient = onDemand(async () => {
    const sdk = await import('@aws-sdk/client-s3')
    return { sdk, client: new sdk.S3Client(optionsOf(settings)) as S3Client }
  })
  const within = () => ({ abortSignal: AbortSignal.timeout(callMs) })
  return {
    write: async (key, bytes) => {
      const { sdk, client } = await openClient()
      await using spooled = await spool(bytes)
      const put = () => {
        const content = { Body: spooled.read(), ContentLength: spooled.size }
        const object = { Bucket, Key: folder + nameOf(key), ...content }
        return client.send(new sdk.PutObjectCommand(object), within())
      }
      // The SDK does not retry streams. Retry once: the spooled file can be read again.
      await put().catch((error) => {
        if (error.$metadata?.httpStatusCode < 500) throw error
        return put()
      })
    },
    read: async (key) => {
      const { sdk, client } = await openClient()
      const command = new sdk.GetObjectCommand({ Bucket, Key: folder + nameOf(key) })
      try {
        const { Body } = await client.send(command, within())
        return (await Body?.transformToByteArray()) ?? null
      } catch (error) {
        if (error instanceof sdk.NoSuchKey) return null
        throw error
      }
    },
    remove: async (name) => {
      const { sdk, client } = await openClient()
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: folder + name }), within())
    },
    list: async ({ after, limit }) => {
      const { sdk, client } = await openClient()
      const page = { Bucket, Prefix: folder, Marker: folder + after, MaxKeys: limit }
      const answer = await client.send(new sdk.ListObjectsCommand(page), within())
      const { Contents = [], IsTruncated } = answer
      const held = Contents.flatMap(({ Key = '', LastModified }) => {
        const named = parseName(Key.slice(folder.length))
        return named && LastModified ? { ...named, writtenAt: LastModified } : []
      })
      const last = Contents.at(-1)?.Key?.slice(folder.length)
      return { held, next: (IsTruncated && last) || null }
    },
    close: async () => {
      const opened = await openClient.opened()
      opened?.client.destroy()
    },
  }
}

/** Returns the options of a client of the object store. */
export function optionsOf({ region, endpoint, pathStyle }: S3Settings) {
  return {
    region,
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    logger,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
    // Many compatible servers do not support the checksums that the SDK sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const
}

/** Bytes in an unlinked temporary file; disposal closes the file, which frees its space. */
interface Spooled extends AsyncDisposable {
  size: number
  /** Returns a new stream of all bytes at each call. */
  read: () => Readable
}

/** Writes bytes to an unlinked temporary file, which the system frees even after a crash. */
async function spool(bytes: AsyncIterable<Uint8Array>): Promise<Spooled> {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-spool-'))
  const unlink = () => rm(folder, { recursive: true, force: true })
  const file = await open(join(folder, 'bytes'), 'wx+', 0o600).finally(unlink)
  try {
    await file.writeFile(bytes)
    const { size } = await file.stat()
    return {
      size,
      read: () => file.createReadStream({ start: 0, autoClose: false }),
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}
