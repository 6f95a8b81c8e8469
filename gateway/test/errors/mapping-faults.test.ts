import { expect, test } from '@jest/globals'
import { createGateway } from '../gateway.ts'
import { mapping } from '../samples.ts'

const uploadsOn = { COFFER_UPLOADS_ENABLED: 'true' }
test('all faults of a mapping are reported at once, of its shape and of its rules', async () => {
  const createMapping = () => ({ mapping: {} })
  await using gateway = await createGateway({ mappings: { createMapping } }, uploadsOn)
  const { memo: _, ...others } = mapping
  const sent = {
    ...others,
    id: { kind: 'other', fields: [{ name: 'Nope' }] },
    amount: { ...mapping.amount, credit: 'CR' },
    date: { fields: [], format: 'YYYY-MM' },
    balance: { kind: 'field' },
    colour: 'red',
  }
  const { status, body } = await gateway.send('POST', '/api/mappings', { body: { mapping: sent } })
  const reference = 'must be one of the headers by name, or derivedKind rowNumber, and not both'
  expect([status, body.problems]).toEqual([
    400,
    {
      mapping: {
        id: { kind: 'must be one of: native, hashed', fields: reference },
        amount: { credit: 'only goes with kind type' },
        memo: 'required key is missing',
        date: {
          fields: 'must have exactly 1 field',
          format: 'must name year, month and day once each, like YYYY-MM-DD or M/D/YY',
        },
        balance: { fields: 'must have exactly 1 field' },
        colour: 'key not expected',
      },
    },
  ])
  expect(gateway.received.filter(({ rpc }) => rpc === 'CreateMapping')).toEqual([])
})
