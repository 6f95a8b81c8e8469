import {
  accountBound,
  httpUrl,
  SettingsError,
  setting,
  type ValuesOf,
} from '@coffer/kit/service/config'
import { z } from 'zod'

export const settings = {
  dataDir: setting(
    'COFFER_DATA_DIR',
    z.string().default('.coffer'),
    'Directory of all data on this machine',
  ),
  storage: setting(
    'COFFER_STORAGE',
    z.enum(['disk', 's3'], { error: 'must be disk or s3' }).default('disk'),
    'Storage of uploaded files: `disk` (below `COFFER_DATA_DIR`) or `s3`',
  ),
  storageBucket: setting(
    'COFFER_STORAGE_BUCKET',
    z.string().optional(),
    'Bucket for uploaded files alone; credentials come from the environment of AWS clients',
  ),
  storageEndpoint: setting(
    'COFFER_STORAGE_ENDPOINT',
    httpUrl.optional(),
    'Address of an S3-compatible server other than AWS',
  ),
  storageRegion: setting(
    'COFFER_STORAGE_REGION',
    z.string().default('us-east-1'),
    'Region of the bucket',
  ),
  storagePathStyle: setting(
    'COFFER_STORAGE_PATH_STYLE',
    z.stringbool().default(false),
    'Put the bucket in the path instead of the host name',
  ),
  uploadsEnabled: setting(
    'COFFER_UPLOADS_ENABLED',
    z.stringbool().default(false),
    'Enable uploads of transaction files',
  ),
  replicas: setting(
    'COFFER_REPLICAS',
    z.coerce.number().int().min(1).default(1),
    'Number of replicas of this process; with several, uploads need `COFFER_STORAGE=s3`',
  ),
  similarQuietSeconds: setting(
    'COFFER_SIMILAR_QUIET_SECONDS',
    z.coerce.number().min(0.1).max(3600).default(30),
    'Seconds without a change of the bank account before similar transactions are searched',
  ),
  linksMax: setting(
    'COFFER_LINKS_MAX',
    accountBound(1_000),
    'Links of an account, and connections to the feed provider',
  ),
  bankAccountsMax: setting(
    'COFFER_BANK_ACCOUNTS_MAX',
    accountBound(1_000),
    'Bank accounts of an account, archived ones included',
  ),
  envelopesMax: setting(
    'COFFER_ENVELOPES_MAX',
    accountBound(1_000),
    'Expenses and goals of a bank account',
  ),
  mappingsMax: setting(
    'COFFER_MAPPINGS_MAX',
    accountBound(200),
    'Mappings of CSV files of an account',
  ),
  uploadsMax: setting('COFFER_UPLOADS_MAX', accountBound(10), 'Concurrent uploads of an account'),
}

/**
 * Returns the S3 bucket of files, null for disk. Throws SettingsError for S3 without a bucket, and
 * for uploads to disk with several replicas, since replicas do not share a disk.
 */
export function bucketOf(config: ValuesOf<typeof settings>): string | null {
  if (config.storage === 'disk') {
    if (!config.uploadsEnabled || config.replicas === 1) return null
    const text = `disk, but COFFER_REPLICAS is ${config.replicas}: a file is on one of their disks`
    throw new SettingsError(`COFFER_STORAGE: ${text}; set s3 ("coffer files:move" copies files)`)
  }
  if (config.storageBucket !== undefined) return config.storageBucket
  throw new SettingsError('COFFER_STORAGE_BUCKET: is needed where COFFER_STORAGE is s3')
}
