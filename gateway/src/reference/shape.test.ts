import { describe, expect, test } from '@jest/globals'
import { shapeOf } from './shape.ts'

const schemas = {
  Text: { type: 'string', description: 'A text', minLength: 1, maxLength: 9 },
  Tree: { type: 'object', properties: { leaf: { $ref: '#/components/schemas/Tree' } } },
}

describe('the shape of a schema', () => {
  test.each([
    ['a reference', { $ref: '#/components/schemas/Text' }, 'Text', ['1 to 9 characters']],
    [
      'null',
      { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
      'integer or null',
      ['at least 0'],
    ],
    ['several types', { type: ['string', 'null'] }, 'string or null', []],
    [
      'a list',
      { type: 'array', maxItems: 5, items: { enum: ['a', 'b'] } },
      'array of string',
      ['at most 5 entries', 'one of: a, b'],
    ],
    ['a map', { additionalProperties: { type: 'string' } }, 'object: string by key', []],
    ['exact integers', { type: 'integer', maximum: Number.MAX_SAFE_INTEGER }, 'integer', []],
    ['a long pattern', { type: 'string', pattern: 'x'.repeat(61) }, 'string', []],
  ])('tells %s', (_, schema, type, bounds) => {
    expect(shapeOf(schema, schemas)).toMatchObject({ type, bounds })
  })

  test('ends at a schema inside of itself', () => {
    const { type, fields } = shapeOf({ $ref: '#/components/schemas/Tree' }, schemas)
    expect([type, fields[0]?.shape]).toMatchObject(['Tree', { type: 'Tree', fields: [] }])
  })

  test('joins the parts of allOf, and names the variants of anyOf', () => {
    const one = { type: 'object', properties: { kind: { const: 'one' } }, required: ['kind'] }
    const other = { type: 'object', properties: { kind: { const: 'other' } } }
    const { variants } = shapeOf({ anyOf: [one, other] }, schemas)
    expect(variants.map(({ description }) => description)).toEqual([
      'kind is always one',
      'kind is always other',
    ])
    const { fields } = shapeOf({ allOf: [one, { properties: { more: {} } }] }, schemas)
    expect(fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['kind', true],
      ['more', false],
    ])
  })
})
