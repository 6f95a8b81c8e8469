import { expect, test } from '@jest/globals'
import { potName } from './pot-name.ts'

const rent = { spendingId: 'spnd_1', name: 'Rent' }

test.each([
  ['of an envelope', { spendingId: 'spnd_1' }, [rent], 'Rent'],
  ['of a deleted one', { deletedSpendingName: 'Trip' }, [rent], 'Trip (deleted)'],
  ['of one that was deleted before names were kept', {}, [rent], 'Deleted envelope'],
  ['of one while the envelopes are not known', {}, undefined, 'Envelope'],
  ['of a balance', { pot: 'current' }, [rent], 'Posted balance'],
] as const)('a change %s names it', (_, more, envelopes, name) => {
  expect(potName({ pot: 'envelope', spendingId: 'spnd_2', ...more }, envelopes)).toBe(name)
})
