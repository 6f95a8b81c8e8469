import { createReadStream, createWriteStream } from 'node:fs'
import { access, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { onDemand } from '@coffer/kit/service/on-demand'
import { optionsOf, type S3Settings } from '@coffer/ledger/imports/storage/s3-storage.client'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'

/** Destination or source of an archive: a file, or an object in a bucket. */
export interface ArchivePlace {
  name: string
  /** @throws {FatalError} when the file or object exists */
  requireNew: () => Promise<void>
  /**
   * Begins an archive and removes it, to check the permissions that `write` needs.
   * @throws {FatalError} when the place cannot be written
   */
  requireWritable: () => Promise<void>
  /**
   * Writes the archive, which appears under its name only when it is complete. Returns its bytes.
   * @throws {FatalError} when the place cannot be written
   */
  write: (bytes: Readable) => Promise<number>
  read: () => Promise<Readable>
}

/** Settings of the object store; the bucket comes from the option. */
export type StoreSettings = Omit<S3Settings, 'bucket'>

/**
 * Returns the place in an option: `s3://bucket/key`, or the path of a file. For a key that ends
 * with a slash, a new archive is named after the time.
 * @throws {FatalError} when the address has no bucket or no key
 */
export function placeOf(text: string, store: StoreSettings, now: Date): ArchivePlace {
  if (!text.startsWith('s3://')) return filePlace(text)
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(text) ?? []
  if (!bucket || !key) throw new FatalError(`${text} needs a bucket and a key: s3://bucket/key`)
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const full = key.endsWith('/') ? `${key}coffer-${time}.age` : key
  return bucketPlace({ ...store, bucket }, full)
}

function filePlace(path: string): ArchivePlace {
  const draft = `${path}.part`
  const unwritable = (error: Error) => {
    throw new FatalError(`--to: ${path} cannot be written: ${error.message}`)
  }
  return {
    name: path,
    requireNew: async () => {
      const isThere = await access(path).then(
        () => true,
        () => false,
      )
      if (isThere) throw new FatalError(`--to: ${path} exists already: name a new file.`)
    },
    requireWritable: async () => {
      await using _probe = await open(draft, 'w', 0o600).catch(unwritable)
      await rm(draft)
    },
    write: async (bytes) => {
      try {
        await using _probe = await open(draft, 'w', 0o600)
        await pipeline(bytes, createWriteStream(draft, { mode: 0o600 }))
        await sync(draft)
        await rename(draft, path)
        await sync(dirname(path))
        return (await stat(path)).size
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined)
        const fault = error as NodeJS.ErrnoException
        const isOfDisk =
          fault.path === draft || ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'].includes(fault.code ?? '')
        if (!isOfDisk) throw error
        return unwritable(fault)
      }
    },
    read: async () => createReadStream(path),
  }
}

/** Flushes a file or folder to disk (fsync), so that it survives a power failure. */
async function sync(path: string): Promise<void> {
  await using file = await open(path)
  await file.sync()
}

/**
 * Size in bytes of a part; two are in memory at a time. S3 accepts 10,000 parts: 160 GiB in total.
 */
const partBytes = 16 * 1024 * 1024
/** Timeout in ms of one request, which sends a part. */
const requestMs = 120_000

/**
 * Multipart upload: the object is written part by part while the archive is created, so no volume
 * is needed. It appears when its last part is written; a failure removes all parts.
 */
function bucketPlace(settings: S3Settings, key: string): ArchivePlace {
  const name = `s3://${settings.bucket}/${key}`
  const object = { Bucket: settings.bucket, Key: key }
  const openClient = onDemand(async () => {
    const sdk = await import('@aws-sdk/client-s3')
    const options = { ...optionsOf(settings), maxAttempts: 4 }
    const requestHandler = { ...options.requestHandler, requestTimeout: requestMs }
    return { sdk, client: new sdk.S3Client({ ...options, requestHandler }) }
  })
  const refuse = (option: string) => (error: Error) => {
    throw new FatalError(`${option}: ${name} cannot be reached: ${error.name} ${error.message}`)
  }
  return {
    name,
    requireNew: async () => {
      const { sdk, client } = await openClient()
      const found = await client.send(new sdk.HeadObjectCommand(object)).then(
        () => true,
        // A role with write permission only gets 403 in both cases: the object counts as new.
        (error) => ![403, 404].includes(error.$metadata?.httpStatusCode) && refuse('--to')(error),
      )
      if (found) throw new FatalError(`--to: ${name} exists already: name a new object.`)
    },
    requireWritable: async () => {
      const { sdk, client } = await openClient()
      const begun = client.send(new sdk.CreateMultipartUploadCommand(object))
      const { UploadId } = await begun.catch(refuse('--to'))
      const end = client.send(new sdk.AbortMultipartUploadCommand({ ...object, UploadId }))
      await end.catch(refuse('--to'))
    },
    write: async (bytes) => {
      const { client } = await openClient()
      const { Upload } = await import('@aws-sdk/lib-storage')
      let size = 0
      const counted = async function* () {
        for await (const chunk of bytes) {
          size += chunk.length
          yield chunk
        }
      }
      const Body = Readable.from(counted(), { objectMode: false })
      const options = { client, partSize: partBytes, queueSize: 2, leavePartsOnError: false }
      const upload = new Upload({ ...options, params: { ...object, Body } })
      // An error in creating the archive, which aborts the stream, is thrown unchanged.
      await upload.done().catch((error) => {
        if (bytes.errored) throw bytes.errored
        refuse('--to')(error)
      })
      return size
    },
    read: async () => {
      const { sdk, client } = await openClient()
      const found = client.send(new sdk.GetObjectCommand(object))
      const { Body } = await found.catch(refuse('--from'))
      return Body as Readable
    },
  }
}
