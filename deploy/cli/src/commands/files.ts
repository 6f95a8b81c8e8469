import { join } from 'node:path'
import { createLog } from '@coffer/host/logger'
import { type Environment, readSettings } from '@coffer/host/settings'
import { SettingsError } from '@coffer/kit/service/config'
import { settings as ledgerSettings } from '@coffer/ledger/config'
import { createDiskStorage } from '@coffer/ledger/imports/storage/disk-storage.client'
import { copyFiles } from '@coffer/ledger/imports/storage/file-copy.service'
import { createStorage } from '@coffer/ledger/imports/storage/storage.client'
import { readConfig } from '../settings/environment.ts'

/**
 * `coffer files:move`: copies the uploaded files of the data directory to the bucket of the
 * settings (docs/running/stored-files.md). Throws SettingsError without a bucket.
 */
export async function moveFiles(env: Environment): Promise<undefined> {
  const { dataDir, logLevel, environment } = readConfig(env)
  const config = readSettings(ledgerSettings, environment)
  if (config.storage !== 's3') {
    throw new SettingsError('COFFER_STORAGE: must be s3, with the bucket to which files are copied')
  }
  const bucket = createStorage(config, createLog({ level: logLevel, name: 'coffer' }))
  try {
    const disk = createDiskStorage(join(dataDir, 'files'))
    const { copied, present } = await copyFiles(disk, bucket)
    console.log(`${copied} files copied; the bucket had ${present}`)
  } finally {
    await bucket.close()
  }
}
