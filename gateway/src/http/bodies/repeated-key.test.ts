import { expect, test } from '@jest/globals'
import { repeatedKey } from './repeated-key.ts'

function find(json: string) {
  return repeatedKey(Buffer.from(json), JSON.parse(json))
}

test.each([
  ['{"name":"a","name":"b"}', ['name']],
  ['{"name":"a","n\\u0061me":"b"}', ['name']],
  ['{"name" : 1,\n\t"name"\r\n: 1}', ['name']],
  ['{"a":{"b":1,"b":1}}', ['a', 'b']],
  ['{"a":[{},{"b":1,"c":2,"b":1}]}', ['a', 1, 'b']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"":1,"":2}', ['']],
  ['{"\\"":1,"\\"":2}', ['"']],
  ['{"a":1,"b":{"a":1},"c":"x","a":null}', ['a']],
])('%s has a key twice', (json, path) => {
  expect(find(json)).toEqual(path)
})

test.each([
  '{}',
  '{"a":1}',
  '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
  '{"a":"\\"a\\":1,","b":"c\\\\","d":"\\\\\\":"}',
  '{"a":":","b":"x : y","c":["d",":"]}',
  '{"é":"ü","ключ":"\\u0022:"}',
])('%s has no key twice', (json) => {
  expect(find(json)).toBeNull()
})

test('a key twice is found in a body that is too long to name it', () => {
  expect(find(`{"a":1,"a":"${'x'.repeat(100_000)}"}`)).toEqual([])
})
