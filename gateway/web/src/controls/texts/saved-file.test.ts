import { expect, test } from '@jest/globals'
import { csvName } from './saved-file.ts'

test.each([
  ['Checking', 'coffer-checking-2026-11-29.csv'],
  ['Giro / Größe (DKB)', 'coffer-giro-grosse-dkb-2026-11-29.csv'],
  ['💶', 'coffer-2026-11-29.csv'],
])('the file of %s is %s', (account, name) => {
  expect(csvName(account, '2026-11-29')).toBe(name)
})
