import { setting } from '@coffer/kit/config'
import { z } from 'zod'

export const settings = {
  dataDir: setting(
    'COFFER_DATA_DIR',
    z.string().default('.coffer'),
    'Folder for uploaded files, keys and the embedded servers.',
  ),
}
