import { expect, test } from '@jest/globals'
import { timezoneChoices } from './region-choices.ts'

test.each([
  ['Asia/Kolkata', 'Asia/Calcutta'],
  ['Europe/Kyiv', 'Europe/Kiev'],
  ['Asia/Yangon', 'Asia/Rangoon'],
  ['Asia/Kathmandu', 'Asia/Katmandu'],
])('%s is offered once, and %s not', (present, former) => {
  const values = timezoneChoices(former).map(({ value }) => value)
  expect(values.filter((value) => value === present || value === former)).toEqual([present])
})
