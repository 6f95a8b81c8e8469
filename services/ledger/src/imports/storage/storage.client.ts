import { join } from 'node:path'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { ValuesOf } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import { ConnectError } from '@connectrpc/connect'
import { bucketOf, type settings } from '../../config.ts'
import { createDiskStorage } from './disk-storage.client.ts'
import { createS3Storage, type S3Settings } from './s3-storage.client.ts'
import type { Storage } from './storage.ts'

/**
 * Returns the storage that the settings select. Its errors are logged and thrown as `unavailable`;
 * errors from the source of the bytes (an upload) are thrown unchanged.
 */
export function createStorage(config: ValuesOf<typeof settings>, log: Log): Storage {
  const { write, read, remove, list, close } = chooseStorage(config)
  const guarded = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      try {
        return await call(...args)
      } catch (err) {
        // A ConnectError comes from the source of the bytes (the upload), not from the storage.
        if (err instanceof ConnectError) throw err
        log.error({ err }, 'a call to the file storage failed')
        throw unavailable(say('STORAGE_AWAY'))
      }
    }
  }
  return {
    write: guarded(write),
    read: guarded(read),
    remove: guarded(remove),
    list: guarded(list),
    close,
  }
}

function chooseStorage(config: ValuesOf<typeof settings>): Storage {
  const bucket = bucketOf(config)
  if (bucket === null) return createDiskStorage(join(config.dataDir, 'files'))
  return createS3Storage({ ...storeOf(config), bucket })
}

/** Returns the settings of the object store, without a bucket. */
export function storeOf(config: ValuesOf<typeof settings>): Omit<S3Settings, 'bucket'> {
  const { storageEndpoint, storageRegion, storagePathStyle } = config
  return {
    endpoint: storageEndpoint ?? null,
    region: storageRegion,
    pathStyle: storagePathStyle,
  }
}
