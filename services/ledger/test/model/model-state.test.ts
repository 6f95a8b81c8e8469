import { expect, test } from '@jest/globals'
import { apply } from './model.ts'
import { freeOf } from './model-fields.ts'
import type { Operation } from './model-operation.ts'
import { createModel, visibleState } from './model-state.ts'

const envelope = 'spnd_1'
const body = { ...freeOf({}), day: 10, envelope, isPending: false, adjusts: false }
const payment: Operation = { serial: 1, kind: 'create', ...body, amount: 100, isRefund: false }
const refund: Operation = { serial: 2, kind: 'create', ...body, amount: -1, isRefund: true }
const until = { day: 13, serial: 3 }
const ending = { target: 200, carryOver: false, bill: null, until }
const periodEnd: Operation = { serial: 3, kind: 'endPeriod', envelope, ...ending }

test('the state tells whether a refund came before or after the end of a period', () => {
  const stateAfter = (...operations: Operation[]) => {
    const opened = { account: {} as never, pots: { current: 0, available: 0 } }
    const model = createModel(true, { ...opened, envelopes: { [envelope]: false } })
    const lines = [{ envelope, amount: 500, ceiling: 500 }]
    const funding: Operation = { serial: 0, kind: 'fund', lines, deposit: null }
    for (const one of [funding, payment, ...operations]) expect(apply(model, one)).toBe(true)
    return visibleState(model)?.envelopes
  }
  const [before] = stateAfter(refund, periodEnd) ?? []
  const [after] = stateAfter(periodEnd, refund) ?? []
  expect(before).toEqual({ ...after, refunded: 0 })
  expect(after).toMatchObject({ current: 401, spent: 0, refunded: 1, graced: [101, 0] })
})
