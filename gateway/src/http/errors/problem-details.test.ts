import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { createErrorRenderer, problemType, sectionOf } from './problem-details.ts'

const render = createErrorRenderer({ externalUrl: 'https://money.example' })
const refusal = {
  status: 400,
  body: { error: 'Invalid request', code: 'A_CODE', problems: { amount: 'must be an integer' } },
}

test.each([
  [undefined],
  ['*/*'],
  ['application/*'],
  ['application/json'],
  ['application/problem+xml'],
  ['application/problem+json;q=0'],
])('Accept: %s gets the default body', (accept) => {
  const { type, text } = render(accept === undefined ? {} : { accept }, refusal)
  expect([type, JSON.parse(text)]).toEqual(['application/json', refusal.body])
})

test.each([
  [problemType],
  ['Application/Problem+JSON'],
  ['application/json, application/problem+json'],
  ['application/problem+json;q=0.1, */*'],
])('Accept: %s gets problem details', (accept) => {
  const { type, text } = render({ accept }, refusal)
  expect([type, JSON.parse(text)]).toEqual([
    problemType,
    {
      type: 'https://money.example/api/reference/errors#bad-request',
      title: 'Bad Request',
      status: 400,
      detail: 'Invalid request',
      code: 'A_CODE',
      problems: { amount: 'must be an integer' },
      errors: [{ pointer: '#/amount', detail: 'must be an integer', code: 'NOT_INTEGER' }],
    },
  ])
})

test('the page about errors has the section of every status', () => {
  const page = readFileSync(new URL('../../../../docs/api/errors.md', import.meta.url), 'utf8')
  const sections = [...page.matchAll(/^### (.+)\n\n([45]\d\d): /gm)]
  expect(sections.length).toBeGreaterThan(20)
  for (const [, title = '', status] of sections) {
    expect(title.toLowerCase().replaceAll(' ', '-')).toBe(sectionOf(Number(status)))
  }
})
