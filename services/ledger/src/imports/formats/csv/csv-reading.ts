import { say } from '@coffer/kit/reasons/reasons'
import { z } from 'zod'
import { detectDayFormat, inOrder } from '../day-format.ts'
import type { ReadingChoices } from '../reading-choices.ts'
import type { FileStatement, Unreadable } from '../statement.ts'
import type { Steps } from '../steps.ts'
import { reasonOf as encodingReason } from '../text/file-text.ts'
import { type CsvShape, shapeSteps } from './csv-shape.ts'

/** The format of a CSV file, and the reason of each choice (docs/files.md#choices). */
export const CsvReading = z.object({
  delimiter: z.string(),
  encoding: z.string(),
  headerRow: z.number(),
  dateFormat: z.string().optional(),
  decimalMark: z.string().optional(),
  /**
   * Whether a minus reverses a debit or credit, `true` or `false`; unset if no amount in the
   * columns of debits and credits has a minus.
   */
  minusReverses: z.string().optional(),
  reasons: z.array(z.object({ choice: z.string(), reason: z.string() })),
  /**
   * Cells of the first rows, from which the client sees which column to map.
   * until 0.5: unset for imports that a release before 0.4.0 stored.
   */
  rows: z.array(z.array(z.string())).optional(),
  /** The sheet that was converted to CSV, and all sheets of the file; unset for CSV files. */
  sheet: z.string().optional(),
  sheets: z.array(z.object({ name: z.string(), rowCount: z.number() })).optional(),
  /**
   * Columns of a sheet with numeric cells. Their decimal point is written by the conversion to CSV,
   * so it says nothing about the decimal mark of text cells. Not shown to clients.
   */
  numberColumns: z.array(z.number()).optional(),
})
export type CsvReading = z.infer<typeof CsvReading>

/** Currencies of countries that write the month first. */
const MONTH_FIRST = ['USD', 'CAD', 'PHP']

/**
 * Detects the columns and the format of a CSV file from its first 64 KiB and the choices of the
 * client. Returns `Unreadable` if no columns are found.
 */
export function* readShape(
  bytes: Uint8Array,
  choices: ReadingChoices,
  currency: string,
): Steps<{ shape: CsvShape; reading: CsvReading } | Unreadable> {
  const found = yield* shapeSteps(bytes, choices)
  if ('unreadable' in found) return found
  const { dates, encoding, used, firstRows: rows, ...shape } = found
  const { delimiter, headerRow, headers } = shape
  const dayFirst = choices.dayFirst ?? !MONTH_FIRST.includes(currency)
  const order = dayFirst ? 'day first' : 'month first'
  const days = detectDayFormat(dates, order)
  const isStated = choices.dayFirst !== undefined
  const format = days && isStated ? inOrder(days.format, order) : days?.format
  const isFound = days?.isSure === true && format === days.format
  const reasonOf = (choice: keyof ReadingChoices, detected: string) => ({
    choice,
    reason: choices[choice] === undefined ? detected : say('CHOICE_STATED'),
  })
  const first = { text: dates[0] ?? '' }
  const openReason = isStated ? say('DAYS_STATED') : say('DAYS_OPEN', first)
  const dateReason = isFound ? say('DAYS_LIKE', first) : openReason
  const reasons = [
    reasonOf('delimiter', say('DELIMITER_FITS', { columns: headers.length, rows: used })),
    reasonOf('encoding', encodingReason(bytes, encoding)),
    reasonOf('headerRow', say(headerRow === 0 ? 'HEADER_MISSING' : 'HEADER_ABOVE')),
    ...(days === null ? [] : [reasonOf('dateFormat', dateReason)]),
  ]
  const reading = { delimiter, encoding, headerRow, reasons, rows }
  const dateFormat = choices.dateFormat ?? format
  return { shape, reading: dateFormat === undefined ? reading : { ...reading, dateFormat } }
}

/** Adds the choice of the sheet that was converted to the CSV file. */
export function withSheet(
  reading: CsvReading,
  chosen: (Pick<CsvReading, 'sheets' | 'numberColumns'> & { sheet: string; reason: string }) | null,
): CsvReading {
  if (chosen === null) return reading
  const { reason, ...sheet } = chosen
  return { ...reading, ...sheet, reasons: [...reading.reasons, { choice: 'sheet', reason }] }
}

/** Copies the choice of the sheet from the former reading of the same file. */
export function keepSheet(reading: CsvReading, former: CsvReading | null): CsvReading {
  const { sheet, sheets, numberColumns, reasons = [] } = former ?? {}
  const { reason = '' } = reasons.find(({ choice }) => choice === 'sheet') ?? {}
  return withSheet(reading, sheet === undefined ? null : { sheet, sheets, numberColumns, reason })
}

/** Adds the choices that the preview made: decimal mark, date format and signs. */
export function withPreviewed(
  reading: CsvReading,
  { mark, dateFormat, choices = [] }: Pick<FileStatement, 'mark' | 'dateFormat' | 'choices'>,
): CsvReading {
  const marked = mark && { choice: 'decimalMark', value: mark.mark, reason: mark.reason }
  // A mapping with another date format than the detected one replaces format and reason. If both
  // are equal, the reason of the detection stays, because it tells the user more.
  const isOther = dateFormat !== undefined && dateFormat !== reading.dateFormat
  const dated = isOther && {
    choice: 'dateFormat',
    value: dateFormat,
    reason: say('DAYS_MAPPED'),
  }
  const made = [dated, marked, ...choices].filter((one) => one !== false && one !== undefined)
  const names = made.map(({ choice }) => choice)
  return {
    ...reading,
    ...Object.fromEntries(made.map(({ choice, value }) => [choice, value])),
    reasons: [
      ...reading.reasons.filter(({ choice }) => !names.includes(choice)),
      ...made.map(({ choice, reason }) => ({ choice, reason })),
    ],
  }
}
