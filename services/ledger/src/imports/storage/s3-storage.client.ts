import type { S3Client } from '@aws-sdk/client-s3'
import { spool } from './spool.client.ts'
import { namedBy, nameOf, type Storage } from './storage.ts'

export interface S3Settings {
  bucket: string
  region: string
  /** Address of a compatible server; AWS's own where it is null. */
  endpoint: string | null
  /** Whether the bucket is named in the path instead of the host. */
  pathStyle: boolean
}

const folder = 'files/'
const silence = () => undefined
// What fails is thrown, and logged by who opened the storage.
const logger = { trace: silence, debug: silence, info: silence, warn: silence, error: silence }
const callMs = 8_000

/**
 * Files in a bucket of S3 or of a server compatible with it. Credentials come from where the SDK
 * looks for them. A file is one request, which stores all of it or nothing; it is complete on disk
 * before, so that S3 hears of no upload that breaks off.
 */
export function openS3Storage(settings: S3Settings): Storage {
  const { bucket: Bucket } = settings
  // The SDK takes most of a second to load, which only those pay who use it.
  const opening = import('@aws-sdk/client-s3').then((sdk) => ({
    sdk,
    client: new sdk.S3Client(optionsOf(settings)) as S3Client,
  }))
  const within = () => ({ abortSignal: AbortSignal.timeout(callMs) })
  return {
    write: async (key, bytes) => {
      const { sdk, client } = await opening
      await using spooled = await spool(bytes)
      const put = () => {
        const content = { Body: spooled.read(), ContentLength: spooled.size }
        const object = { Bucket, Key: folder + nameOf(key), ...content }
        return client.send(new sdk.PutObjectCommand(object), within())
      }
      // The SDK does not repeat what streams; here it can be read again.
      await put().catch((error) => {
        if (error.$metadata?.httpStatusCode < 500) throw error
        return put()
      })
    },
    read: async (key) => {
      const { sdk, client } = await opening
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
      const { sdk, client } = await opening
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: folder + name }), within())
    },
    list: async ({ after, limit }) => {
      const { sdk, client } = await opening
      const page = { Bucket, Prefix: folder, Marker: folder + after, MaxKeys: limit }
      const answer = await client.send(new sdk.ListObjectsCommand(page), within())
      const { Contents = [], IsTruncated } = answer
      const held = Contents.flatMap(({ Key = '', LastModified }) => {
        const named = namedBy(Key.slice(folder.length))
        return named && LastModified ? { ...named, writtenAt: LastModified } : []
      })
      const last = Contents.at(-1)?.Key?.slice(folder.length)
      return { held, next: (IsTruncated && last) || null }
    },
    close: async () => {
      const { client } = await opening
      client.destroy()
    },
  }
}

function optionsOf({ region, endpoint, pathStyle }: S3Settings) {
  return {
    region,
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    logger,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
    // Compatible servers know the older checksums only.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const
}
