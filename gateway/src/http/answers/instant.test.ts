import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { instantJson } from './instant.ts'

const instants = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
})

test('the JSON of an instant is that of toISOString, without a fraction of zero', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      const text = instant.toISOString().replace('.000Z', 'Z')
      expect(instantJson(timestampFromDate(instant))).toBe(JSON.stringify(text))
    }),
  )
})
