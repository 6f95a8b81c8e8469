import { say } from '@coffer/kit/reasons/reasons'
import { expect, test } from '@jest/globals'
import { reasonMembers } from './reason-members.ts'

test('a refusal as a whole has its code and its values', () => {
  expect(reasonMembers({ error: say('LINKS_MAX', { max: 50 }) })).toEqual({
    code: 'LINKS_MAX',
    params: { max: '50' },
  })
  expect(reasonMembers({ error: say('BILL_OF_GOAL') })).toEqual({ code: 'BILL_OF_GOAL' })
  expect(reasonMembers({ error: 'a text without a code', problems: {} })).toEqual({})
})

test('faults of fields are a list, alternatives are faults of their value', () => {
  const length = say('LENGTH', { min: 1, max: 300 })
  const problems = {
    name: length,
    'a/b~c': 'odd',
    oneOf: [{ conditions: { amountTo: { oneOf: [say('NOT_NULL'), say('NOT_INTEGER')] } } }, 'odd'],
  }
  expect(reasonMembers({ error: 'Invalid request', problems })).toEqual({
    code: 'INVALID_REQUEST',
    errors: [
      { pointer: '#/name', detail: length, code: 'LENGTH', params: { min: '1', max: '300' } },
      { pointer: '#/a~1b~0c', detail: 'odd' },
      { pointer: '#/conditions/amountTo', detail: 'must be null', code: 'NOT_NULL' },
      { pointer: '#/conditions/amountTo', detail: 'must be an integer', code: 'NOT_INTEGER' },
      { pointer: '#', detail: 'odd' },
    ],
  })
})

test('a list of faults has a bound', () => {
  const problems = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, 'odd']))
  expect(reasonMembers({ error: 'Invalid request', problems }).errors).toHaveLength(100)
})
