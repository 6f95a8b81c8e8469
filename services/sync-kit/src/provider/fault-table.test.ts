import { expect, test } from '@jest/globals'
import { createFaults } from './fault-table.ts'

const { FaultCode, describeFault, failureOf, faultOf } = createFaults(
  {
    away: [(detail) => `the bank is away: ${detail}`, 'Wait.'],
    internal: [() => 'the server could not finish the sync', 'Nothing.'],
    'rate-limited': [(detail) => `the bank answered with status ${detail}`, 'Nothing.'],
  },
  (code) => (code === 'away' ? 424 : 500),
)

test('a code of the table has a text and an advice', () => {
  expect(FaultCode.values).toEqual(new Set(['away', 'internal', 'rate-limited']))
  expect(FaultCode.safeParse('other').success).toBe(false)
  expect(describeFault({ code: 'away', detail: 'until noon' })).toEqual({
    text: 'the bank is away: until noon',
    advice: 'Wait.',
  })
})

test('the error of a fault has its text and status', () => {
  const of = (status: number) => ({ details: [{ value: { status } }] })
  expect(failureOf('away', { detail: 'until noon' })).toMatchObject({
    rawMessage: 'the bank is away: until noon',
    ...of(424),
  })
  expect(failureOf('internal')).toMatchObject(of(500))
})

test('the error of a fault carries it, other errors carry none', () => {
  const fault = { code: 'rate-limited', detail: '429', retryAfterMs: 5_000 } as const
  expect(faultOf(failureOf(fault.code, fault))).toEqual(fault)
  expect(faultOf(failureOf('away'))).toEqual({ code: 'away', detail: '', retryAfterMs: null })
  for (const other of [new Error('no'), null, undefined, 'text', { cause: { code: 'other' } }]) {
    expect(faultOf(other)).toBeNull()
  }
})
