import { type File, isTest } from '../house/files.ts'

/** Files that convert wall-clock times, or define midnight (docs/recurrence.md). */
const converting = [
  'services/kit/src/values/day.ts',
  'services/kit/src/values/ruleset.ts',
  'services/kit/src/values/time.ts',
  'services/budgeting/src/recurrence/recurrence.ts',
  'services/ledger/src/imports/formats/camt/camt.ts',
  'services/ledger/src/imports/formats/ofx/ofx-rows.ts',
]

const ownMidnight = /\bfromLocal\b|\.(?:startOf|endOf)\(\s*['"]day['"]|\.setHours\(/

/** Returns the files that calculate the start of a day without kit's `day.ts`. */
export function ownMidnights(files: readonly File[]): string[] {
  return files
    .filter(({ path, text }) => !isTest(path) && ownMidnight.test(text))
    .filter(({ path }) => !converting.includes(path))
    .map(({ path }) => `${path}: use startOfDay or midnightOf of @coffer/kit/values/day`)
}
