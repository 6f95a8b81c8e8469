import { setting } from '@coffer/kit/service/config'
import { z } from 'zod'

export const settings = {
  changesDays: setting(
    'COFFER_CHANGES_DAYS',
    z.coerce.number().int().min(1).max(3_650).default(30),
    'Days for which the change feed keeps an entry; a reader that is away longer starts again',
  ),
}
