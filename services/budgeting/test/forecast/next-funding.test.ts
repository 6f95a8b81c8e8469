import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { ledger } from '@coffer/ledger/service'
import { ForecastService } from '@coffer/proto/budgeting/v1/forecast'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { budgeting } from '../../src/service.ts'
import { at, createBudgetHousehold } from '../household.ts'
import { createPlanned, plans } from '../planned.ts'

const booted = booting([ledger, budgeting])

test('an overview has the sum that the forecast has for the next firing', async () => {
  const forecasts = booted.client('budgeting', ForecastService)
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const home = await createPlanned(booted, plan)
      const { bankAccountId, as } = home
      // Nothing is in the second; the third has too many due dates before it fires.
      await home.pay({ name: 'None', nextRecurrence: at('2023-12-01T06:00Z') })
      const far = { name: 'Far', nextRecurrence: at('2033-01-01T06:00Z') }
      const { fundingScheduleId: late } = await home.pay(far)
      const daily = { ruleset: 'DTSTART:20230901T050000Z\nRRULE:FREQ=DAILY' }
      await home.expense(late, { ...daily, nextRecurrence: at('2023-10-01T05:00Z') })
      const asked = { bankAccountId, end: at('2023-12-31T12:00Z') }
      const { forecast } = await forecasts.getForecast(asked, as)
      const first = forecast?.events.find(({ funding }) => funding.length > 0)
      const booked = first?.spending.map((one) => one.heldContribution) ?? []
      const [{ fundingScheduleId = '' } = {}] = first?.funding ?? []
      const next = { bankAccountId, fundingScheduleId }
      const { nextContribution } = await forecasts.getNextContribution(next, as)
      expect(nextContribution).toBe(first?.contribution)
      const summed = {
        contribution: booked.reduce((sum, amount) => sum + amount, 0n),
        envelopeCount: booked.filter((amount) => amount > 0n).length,
      }
      // Budgeting learns of the moved money by an event.
      const overview = await eventually(
        async () => (await home.overview()).nextFundings,
        ([one]) =>
          one?.contribution === summed.contribution && one?.envelopeCount === summed.envelopeCount,
      )
      expect(overview).toMatchObject([summed, { contribution: 0n, envelopeCount: 0 }])
    }),
    { numRuns: 6 },
  )
})

test('a payday after the due date brings a part of the next bill alone', async () => {
  booted.clock.now = new Date('2026-11-28T12:00Z')
  const home = await createBudgetHousehold(booted)
  const fortnightly = 'DTSTART:20261204T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR'
  const first = at('2026-12-04T06:00Z')
  const { fundingScheduleId } = await home.pay({ ruleset: fortnightly, nextRecurrence: first })
  await home.expense(fundingScheduleId, {
    targetAmount: 1_150_00n,
    nextRecurrence: at('2026-12-01T06:00Z'),
  })
  // Three paydays until January 1st: 383.33 each. The bill of December is paid by free-to-use.
  const { nextFundings } = await home.overview()
  expect(nextFundings).toMatchObject([{ contribution: 383_33n, envelopeCount: 1 }])
})
