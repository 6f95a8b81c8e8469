import { booting } from '@coffer/host/testing/booting'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import { budgeting } from '../../src/service.ts'
import { advanceOnly, createSeptember, shown } from '../advancing.ts'
import { at } from '../household.ts'

const booted = booting([ledger, budgeting])

test('one run catches up with 132 missed days', async () => {
  const home = await createSeptember(booted)
  const daily = 'DTSTART:20231001T050000Z\nRRULE:FREQ=DAILY'
  const nextRecurrence = at('2023-10-01T05:00Z')
  const each = { ruleset: daily, nextRecurrence }
  const { fundingScheduleId } = await home.pay({ name: 'Tips', ...each })
  await home.expense(fundingScheduleId, { name: 'bus', targetAmount: 300n, ...each })
  // Each day funds the expense, then its unspent money returns to free-to-use.
  await advanceOnly(booted, home, new Date('2024-02-09T18:00Z'))
  const [bus] = await home.list()
  expect(bus).toMatchObject({
    lastRecurrence: at('2024-02-09T06:00Z'),
    nextRecurrence: at('2024-02-10T06:00Z'),
  })
  expect(await shown(home)).toEqual({ bus: [0n, 0n, 300n] })
})
