import { expect, test } from '@jest/globals'
import {
  describeFault,
  describeSyncFault,
  FaultCode,
  faultOf,
  feedFailure,
  readRetryAfter,
} from './feed-fault.ts'

test('every fault has a text and an advice', () => {
  for (const code of FaultCode.values) {
    const { text, advice } = describeFault({ code, detail: '' })
    expect([code, text.length > 10, /^[A-Z].*\.$/.test(advice)]).toEqual([code, true, true])
  }
})

test.each([
  ['no-answer', '', 'the feed provider did not answer'],
  ['key-refused', '', 'the feed provider refused the API key'],
  ['key-refused', 'Forbidden', 'the feed provider refused the API key: Forbidden'],
  ['status', '500: oops', 'the feed provider answered with status 500: oops'],
  ['unreadable', 'a balance', 'the feed provider did not send a balance'],
  ['url-not-allowed', '', 'the server does not allow the URL of the feed'],
  ['url-not-allowed', 'http://a.b', 'the server does not allow the URL of the feed (http://a.b)'],
] as const)('the fault %s with detail %j is %j', (code, detail, text) => {
  expect(describeFault({ code, detail }).text).toBe(text)
})

test('the advice of a fault says that syncs are repeated, or that one must be requested', () => {
  for (const code of FaultCode.values) {
    if (code === 'redirected') continue
    const adviceOf = (isStopped: boolean) =>
      describeSyncFault({ code, detail: '' }, { isStopped }).advice
    expect(adviceOf(false)).toMatch(/Syncs are repeated\.$|^Nothing: the sync is repeated/)
    expect(adviceOf(true)).toMatch(/request a sync with POST \/api\/feed\/link\/sync: none is sch/)
    expect(adviceOf(true)).not.toMatch(/repeated/)
  }
})

test.each([
  ['url-not-allowed', 400],
  ['no-answer', 500],
] as const)('the error of the fault %s has the status %i', (code, status) => {
  expect(feedFailure(code)).toMatchObject({ details: [{ value: { status } }] })
  expect(faultOf(feedFailure(code))?.code).toBe(code)
})

const now = new Date('2026-03-04T12:00:00Z')

test.each([
  ['0', 0],
  ['120', 120_000],
  ['999999999999999', 86_400_000],
  ['Wed, 04 Mar 2026 12:00:30 GMT', 30_000],
  ['Wed, 04 Mar 2026 11:00:00 GMT', 0],
  ['Thu, 04 Mar 2027 12:00:00 GMT', 86_400_000],
  ['Wed, 99 Mar 2026 12:00:30 GMT', null],
  ['-5', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
  [null, null],
])('Retry-After: %s is %s ms', (header, ms) => {
  expect(readRetryAfter(header, now)).toBe(ms)
})
