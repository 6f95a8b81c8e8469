import { join } from 'node:path'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { ValuesOf } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import { ConnectError } from '@connectrpc/connect'
import { bucketOf, type settings } from '../../config.ts'
import { openDiskStorage } from './disk-storage.client.ts'
import { openS3Storage } from './s3-storage.client.ts'
import type { Storage } from './storage.ts'

/**
 * Opens the storage that the settings name. Whatever goes wrong in it is logged, and unavailable to
 * those who asked: a full disk and a lost server go by.
 */
export function openStorage(config: ValuesOf<typeof settings>, log: Log): Storage {
  const { write, read, remove, list, close } = chosen(config)
  const guarded = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      try {
        return await call(...args)
      } catch (err) {
        // Not of the storage, but of those whose bytes it was to keep.
        if (err instanceof ConnectError) throw err
        log.error({ err }, 'the storage of files failed')
        throw unavailable('the storage of files is not available')
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

function chosen(config: ValuesOf<typeof settings>): Storage {
  const bucket = bucketOf(config)
  if (bucket === null) return openDiskStorage(join(config.dataDir, 'files'))
  const { storageEndpoint, storageRegion, storagePathStyle } = config
  return openS3Storage({
    bucket,
    endpoint: storageEndpoint ?? null,
    region: storageRegion,
    pathStyle: storagePathStyle,
  })
}
