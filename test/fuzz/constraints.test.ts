import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { seed } from '../seed.ts'
import { around, bodies, fitting, queries, textPlaces } from './bodies.ts'
import { isRare, sampledTexts } from './texts.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON schemas, read key by key
type Json = any

/** A service checks parts of these bodies, not the gateway; its own tests have them. */
const checkedByServices = ['createMapping', 'createAggregatorLink', 'updateAggregatorLink']

test.each(bodies)(
  'a body that fits the document is accepted by $id',
  ({ body, schema, isDocumented }) => {
    fc.assert(
      fc.property(fitting(schema, ''), (sent) => {
        fc.pre(isDocumented(sent) === true)
        expect({ sent, isRefused: isRefused(body, sent) }).toEqual({ sent, isRefused: false })
      }),
      { seed, numRuns: 20 },
    )
  },
)

test.each(bodies)('a body beyond what the document allows is refused by $id', (one) => {
  const { id, body, schema, isDocumented } = one
  const [sample] = fc.sample(
    fitting(schema, '').filter((sent) => isDocumented(sent) === true),
    { seed, numRuns: 1 },
  )
  const beyond = [...around(withoutTimezone(schema), sample)].filter((sent) => !isDocumented(sent))
  if (schema.required) expect(beyond.length).toBeGreaterThan(0)
  if (checkedByServices.includes(id)) return
  expect(beyond.filter((sent) => !isRefused(body, sent))).toEqual([])
})

const texts = sampledTexts(300)

/** The schemas whose texts have all been tried: further fields get some of the texts. */
const tried = new Set<string>()

test.each(bodies)('the document and the server accept the same texts in $id', (one) => {
  const { id, body, schema, isDocumented } = one
  const wrong = []
  for (const shape of schema.anyOf ?? [schema]) {
    const [sample] = fc.sample(
      fitting(shape, '').filter((sent) => isDocumented(sent) === true),
      { seed, numRuns: 1 },
    )
    for (const { key, schema: of, put } of textPlaces(shape, sample)) {
      const step = tried.has(JSON.stringify(of)) ? 20 : 1
      tried.add(JSON.stringify(of))
      for (let at = 0; at < texts.length; at += step) {
        const text = texts[at] as string
        const sent = put(text)
        const [documented, accepted] = [isDocumented(sent), !isRefused(body, sent)]
        if (documented === accepted) continue
        if (accepted ? isStricter(id, key, text) : isLaxer(key, text)) continue
        wrong.push({ key, text, documented, accepted })
      }
    }
  }
  expect(wrong.slice(0, 20)).toEqual([])
})

// The exceptions, in docs/api/constraints.md.
function isStricter(id: string, key: string, text: string): boolean {
  const isNearBound = /^\s*(?:1899-12-31|1900-01-01|2199-12-31|2200-01-01)/.test(text)
  const isTrimmed = text !== text.trim()
  return isTrimmed || isNearBound || key === 'timezone' || checkedByServices.includes(id)
}

function isLaxer(key: string, text: string): boolean {
  return isRare(text) || ['feedURL', 'url'].includes(key) || text.includes(';TZID=')
}

test.each(queries)('the document and the server accept the same $name in $id', (one) => {
  const { name, query, schema, isDocumented } = one
  const isAccepted = (text: string) => query?.safeParse({ [name]: text }).success
  const { type, minimum = 0, maximum = 0 } = schema
  if (type === 'integer') {
    for (const number of [minimum - 1, minimum, maximum, maximum + 1]) {
      const sent = { number, isAccepted: isAccepted(String(number)) }
      expect(sent).toEqual({ number, isAccepted: isDocumented(number) })
    }
  } else if (type === 'boolean') {
    expect(['true', 'false'].every(isAccepted)).toBe(true)
  } else if (name !== 'after') {
    const wrong = texts.filter((text, at) => {
      if (at % 4 !== 0 || isRare(text)) return false
      return isDocumented(text) !== isAccepted(text) && !isStricter('', name, text)
    })
    expect(wrong.slice(0, 20)).toEqual([])
  }
})

/** Identity checks the timezone. */
function withoutTimezone({ properties, ...schema }: Json): Json {
  const { timezone: _, ...others } = properties ?? {}
  return { ...schema, ...(properties && { properties: others }) }
}

/** Returns whether the gateway refuses a body, or an item of a bulk request. */
function isRefused(body: Json, sent: unknown): boolean {
  const { data } = body.safeParse(sent)
  return !data || Boolean(data.transactions?.some((item: object) => 'refused' in item))
}
