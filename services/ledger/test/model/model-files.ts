import type { Pots } from './model-operation.ts'

/**
 * A file to import: `rows` are amounts in cents by the row's identifier, positive if they leave the
 * account. `day` is the day of the balances, null if the file states no day. `availableDay` is the
 * day of the available balance if it differs.
 */
type FileOfRows = {
  rows: Record<string, number>
  pots: Pots
  day: number | null
  availableDay?: number
}

/** A file with more rows than one INSERT takes. Its first row occurs in another file too. */
const large: FileOfRows = {
  rows: Object.fromEntries(Array.from({ length: 1_010 }, (_, index) => [`f${index + 7}`, 350])),
  pots: { current: 80_000 },
  day: 14,
}

/** Files that have rows in common, with balances of different days. The last file is large. */
const files: FileOfRows[] = [
  { rows: { f1: 1000, f2: 2500, f3: -40_000 }, pots: { current: 61_000 }, day: 12 },
  {
    rows: { f2: 2500, f4: 1, f5: 777 },
    pots: { current: 70_000, available: 65_000 },
    day: 11,
    availableDay: 13,
  },
  { rows: { f5: 777, f6: 9900 }, pots: {}, day: 13 },
  { rows: { f1: 1000 }, pots: { available: 50_000 }, day: 12 },
  { rows: { f4: 1, f7: 350 }, pots: { current: 64_000, available: 63_000 }, day: null },
  large,
]

export const largeFile = files.length - 1

export function fileAt(number: number): FileOfRows {
  const file = files[number]
  if (!file) throw new Error(`no file ${number}`)
  return file
}
