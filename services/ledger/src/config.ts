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
    'Folder for uploaded files, keys and the embedded servers.',
  ),
  storage: setting(
    'COFFER_STORAGE',
    z.enum(['disk', 's3'], { error: 'must be disk or s3' }).default('disk'),
    'Where uploaded files are while they are needed: disk (below COFFER_DATA_DIR) or s3.',
  ),
  storageBucket: setting(
    'COFFER_STORAGE_BUCKET',
    z.string().optional(),
    'Bucket for uploaded files, used for nothing else. Credentials come as for every AWS client.',
  ),
  storageEndpoint: setting(
    'COFFER_STORAGE_ENDPOINT',
    httpUrl.optional(),
    'Address of a server that is compatible with S3, where it is not Amazon.',
  ),
  storageRegion: setting('COFFER_STORAGE_REGION', z.string().default('us-east-1'), 'Its region.'),
  storagePathStyle: setting(
    'COFFER_STORAGE_PATH_STYLE',
    z.stringbool().default(false),
    'Whether the bucket stands in the path instead of the host name.',
  ),
  similarQuietSeconds: setting(
    'COFFER_SIMILAR_QUIET_SECONDS',
    z.coerce.number().min(0.1).max(3600).default(30),
    'How long a bank account must be left alone before similar transactions are looked for.',
  ),
  linksMax: setting(
    'COFFER_LINKS_MAX',
    accountBound(1_000),
    'Links an account may have, and connections to the feed provider',
  ),
  bankAccountsMax: setting(
    'COFFER_BANK_ACCOUNTS_MAX',
    accountBound(1_000),
    'Bank accounts an account may have, archived ones included',
  ),
  envelopesMax: setting(
    'COFFER_ENVELOPES_MAX',
    accountBound(1_000),
    'Expenses and goals a bank account may have',
  ),
  mappingsMax: setting(
    'COFFER_MAPPINGS_MAX',
    accountBound(200),
    'Mappings of CSV files an account may have',
  ),
  uploadsMax: setting(
    'COFFER_UPLOADS_MAX',
    accountBound(10),
    'Uploads of an account that may be under way at a time',
  ),
}

/** The bucket for uploaded files; null on disk. Throws SettingsError if S3 has no bucket. */
export function bucketOf(config: ValuesOf<typeof settings>): string | null {
  if (config.storage === 'disk') return null
  if (config.storageBucket !== undefined) return config.storageBucket
  throw new SettingsError('COFFER_STORAGE_BUCKET: is needed where COFFER_STORAGE is s3')
}
