import { expect, test } from '@jest/globals'
import type { Forecast } from '../../api/forecast-queries.ts'
import { forecastFile } from './forecast-file.ts'

test('the file has a row for each change and each day of bills, and no formula', () => {
  const first = { date: '2026-11-27T06:00:00Z', deposit: 0, contribution: 0, paid: 0, free: 5_000 }
  const payday = { date: '2026-12-04T06:00:00Z', deposit: 180_000, contribution: 4_050, paid: 0 }
  const free = [first, { ...payday, free: 180_950 }] as Forecast['free']
  const spending = [{ transactionAmount: 1_000 }]
  const events = [{ date: '2026-12-01T06:00:00Z', spending }] as Forecast['events']
  const points = [
    { at: Date.parse(first.date), amount: 0 },
    { at: Date.parse(payday.date), amount: 4_050 },
  ]
  const lines = ['=Rent, "1"', 'Food'].map((name) => ({ spendingId: name, name, points }))
  const columns = ['Day', 'Pay', 'Into envelopes', 'Bills', 'Free']
  const deps = { lines, timezone: 'America/Chicago', currency: 'USD', columns }
  const forecast = { free, events } as Forecast
  expect(forecastFile(forecast, { ...deps, hasCommas: false }).split('\r\n')).toEqual([
    `Day,Pay,Into envelopes,Bills,Free,"'=Rent, ""1""",Food`,
    '2026-11-27,0.00,0.00,0.00,50.00,0.00,0.00',
    '2026-12-01,0.00,0.00,0.00,50.00,0.00,0.00',
    '2026-12-04,1800.00,40.50,0.00,1809.50,40.50,40.50',
    '',
  ])
  expect(forecastFile(forecast, { ...deps, hasCommas: true })).toContain(
    '\r\n2026-12-04;1800,00;40,50;0,00;1809,50;40,50;40,50\r\n',
  )
})
