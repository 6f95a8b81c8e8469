import { setting } from '@coffer/kit/config'
import { z } from 'zod'

export const settings = {
  dataDir: setting(
    'COFFER_DATA_DIR',
    z.string().default('.coffer'),
    'Folder for uploaded files, keys and the embedded servers.',
  ),
  similarQuietSeconds: setting(
    'COFFER_SIMILAR_QUIET_SECONDS',
    z.coerce.number({ error: 'must be a number' }).min(0.1).max(3600).default(5),
    'How long a bank account must be left alone before similar transactions are looked for.',
  ),
}
