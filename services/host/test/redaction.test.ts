import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keepLogLines } from '../testing/log-lines.ts'

const secret = 'Groceries of Ann'
const shown = 'acct_01hzz'

/** Values that hide the secret in a way that a library's errors and options do. */
const hiding = fc.constantFrom<unknown>(
  { password: secret },
  { 'Set-Cookie': [secret] },
  { apiToken: { value: secret } },
  { AUTHORIZATION: secret },
  Buffer.from(secret),
  Object.assign(new Error('failed'), { row: { name: secret }, values: [secret] }),
  Object.assign(new Error('failed'), { detail: `Failing row contains (${secret}).` }),
  Object.assign(new Error(`invalid input "${secret}"`), { code: '22P02' }),
  new Error('failed', { cause: Object.assign(new Error('inner'), { config: { data: secret } }) }),
  new AggregateError([Object.assign(new Error('one'), { query: secret })], 'several'),
  { toJSON: () => ({ secret }) },
  { toJSON: () => ({ toJSON: () => ({ clientSecret: secret }) }) },
  new URL(`https://ann:${encodeURIComponent(secret)}@example.com/`),
  new Map([['password', secret]]),
  new Set([secret]),
)

/** Objects and lists around such a value, up to twelve levels deep. */
const nested = fc
  .tuple(
    hiding,
    fc.array(fc.constantFrom('object', 'list', 'error', 'form', 'beside'), { maxLength: 12 }),
  )
  .map(([value, levels]) => levels.reduce<unknown>((inner, level) => wrap(inner, level), value))

function wrap(inner: unknown, level: string): unknown {
  if (level === 'list') return [shown, inner]
  if (level === 'error') return new Error('outer', { cause: inner })
  if (level === 'form') return { toJSON: () => inner }
  return level === 'beside' ? { accountId: shown, inner } : { inner }
}

test('no depth and no kind of object shows a secret or a row', () => {
  fc.assert(
    fc.property(nested, (value) => {
      const { log, lines, text } = keepLogLines()
      log.warn({ accountId: shown, value, err: value }, 'failed')
      const spellings = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')]
      const bytes = [...Buffer.from(secret)].join(',')
      expect([...spellings, bytes].filter((one) => text().includes(one))).toEqual([])
      // Fields that are no secrets stay.
      expect(lines()[0]).toMatchObject({ accountId: shown, msg: 'failed' })
    }),
    { numRuns: 1_000 },
  )
})
