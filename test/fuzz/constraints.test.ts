import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { seed } from '../seed.ts'
import { around, bodies, fitting } from './bodies.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas, read key by key
type Json = any

/** A service checks the sizes in these bodies, not the gateway; its own tests have them. */
const checkedByServices = ['createMapping', 'createAggregatorLink', 'updateAggregatorLink']

test.each(bodies)('a body that fits the document is accepted by $id', ({ body, schema }) => {
  fc.assert(
    fc.property(fitting(schema, ''), (sent) => {
      // A transfer needs one envelope, and null counts as not sent.
      if ('fromSpendingId' in sent && !sent.fromSpendingId && !sent.toSpendingId) return
      expect({ sent, isRefused: isRefused(body, sent) }).toEqual({ sent, isRefused: false })
    }),
    { seed, numRuns: 20 },
  )
})

test.each(bodies)('a body beyond what the document allows is refused by $id', (one) => {
  const { id, body, schema, isDocumented } = one
  const [sample] = fc.sample(fitting(schema, ''), { seed, numRuns: 1 })
  const beyond = [...around(schema, sample)].filter((sent) => !isDocumented(sent))
  if (schema.required) expect(beyond.length).toBeGreaterThan(0)
  if (checkedByServices.includes(id)) return
  expect(beyond.filter((sent) => !isRefused(body, sent))).toEqual([])
})

/** Returns whether the gateway refuses a body, or an item of a bulk request. */
function isRefused(body: Json, sent: unknown): boolean {
  const { data } = body.safeParse(sent)
  return !data || Boolean(data.transactions?.some((item: object) => 'refused' in item))
}
