import { say } from '@coffer/kit/reasons/reasons'
import { id, line, list, object, rule } from '../../http/fields/fields.ts'

const joinsMax = 500

/** Rows of a file to join to stored transactions (docs/files/joining.md). */
export const rowJoins = list(
  object({
    uploadIdentifier: line({ min: 1, max: 200 }).describe('Row of joinOffers of the preview'),
    transactionId: id('txn').describe('Its transaction, as joinOffers has it'),
  }),
)
  .max(joinsMax, rule(say('ITEMS_MAX', { max: joinsMax })))
  .describe('Rows of joinOffers that are transactions already: no second one is stored for them')
