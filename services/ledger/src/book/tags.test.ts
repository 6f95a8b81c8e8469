import { problemsOf, settledOrRefused } from '@coffer/kit/rpc/errors'
import { expect, test } from '@jest/globals'
import { changeTags, renameTags, type TagChange } from './tags.ts'

const twenty = Array.from({ length: 20 }, (_, at) => `t${at}`)

test.each<[string[] | null, TagChange, string[] | null]>([
  [null, {}, null],
  [['Tea'], {}, ['Tea']],
  [['Tea'], { tags: null }, null],
  [['Tea'], { tags: [] }, null],
  [['Tea'], { tags: ['Café', 'b', 'CAFE', 'b'] }, ['Café', 'b']],
  [['Tea'], { addTags: ['TEA', 'Trip'] }, ['Tea', 'Trip']],
  [['Tea', 'Straße'], { removeTags: ['strasse'] }, ['Tea']],
  [['Tea'], { removeTags: ['tea'] }, null],
  [['Tea', 'b'], { removeTags: ['tea'], addTags: ['TEA'] }, ['b', 'TEA']],
  [twenty, { removeTags: ['t0'], addTags: ['x'] }, [...twenty.slice(1), 'x']],
])('the tags %j become, by %j, %j', (before, change, after) => {
  expect(changeTags(before, change)).toEqual(after)
})

test.each<[TagChange, string]>([
  [{ addTags: ['x'] }, 'addTags'],
  [{ tags: [...twenty, 'x'] }, 'tags'],
  [{ tags: ['a'], addTags: ['b'] }, 'tags'],
])('twenty tags refuse %j by a problem of %s', (change, field) => {
  const outcome = settledOrRefused(() => changeTags(twenty, change))
  const problems = 'refusal' in outcome ? problemsOf(outcome.refusal) : {}
  expect(Object.keys(problems ?? {})).toEqual([field])
})

test.each([
  [['a', 'Café'], 'Cafe', ['a', 'Cafe']],
  [['cafe', 'x', 'tea'], 'Drinks', ['Drinks', 'x']],
  [['DRINKS', 'tea'], 'Drinks', ['DRINKS']],
  [['tea'], null, null],
])('renaming cafe and tea makes of %j, as %j, %j', (tags, name, renamed) => {
  expect(renameTags(tags, { former: new Set(['cafe', 'tea']), name })).toEqual(renamed)
})
