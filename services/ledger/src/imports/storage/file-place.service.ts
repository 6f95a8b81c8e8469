import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { repeat } from '@coffer/kit/service/repeat'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { bucketOf, type settings } from '../../config.ts'
import { recordPlace } from './file-place.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'log'>

const everyMs = 60_000

/**
 * Logs a warning while processes use different storages (disks or buckets) for uploaded files: a
 * file that one process stores is then missing for the import in another process
 * (docs/running/stored-files.md). Does nothing while uploads are off.
 */
export function watchFilePlace(deps: Deps): AsyncDisposable {
  let warnedOf = ''
  const compare = async () => {
    const place = await placeOf(deps.config)
    const others = await recordPlace(deps.database, { place, host: hostname() })
    const hosts = others.map(({ host }) => host).join(', ')
    if (hosts !== '' && hosts !== warnedOf) {
      const text = 'other processes store files elsewhere: set COFFER_STORAGE to s3 for all'
      deps.log.warn({ hosts }, `${text}, or imports of files fail`)
    }
    warnedOf = hosts
  }
  if (!deps.config.uploadsEnabled) return { [Symbol.asyncDispose]: async () => {} }
  const step = () =>
    compare().catch((error) => deps.log.debug({ err: error }, 'place of files not recorded'))
  return repeat(step, { everyMs })
}

/** Returns an identifier of the storage: the bucket, or the disk's ID from its file `files.id`. */
async function placeOf(config: Deps['config']): Promise<string> {
  const bucket = bucketOf(config)
  if (bucket !== null) return `s3 ${config.storageEndpoint ?? 'aws'} ${bucket}`
  const path = join(config.dataDir, 'files.id')
  const found = await readFile(path, 'utf8').catch(() => null)
  if (found !== null) return found
  // A hard link fails if the file exists, so concurrent processes on one disk agree on one ID.
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${newId('draft')}`
  try {
    await writeFile(draft, newId('disk'), { mode: 0o600 })
    await link(draft, path).catch(() => undefined)
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}
