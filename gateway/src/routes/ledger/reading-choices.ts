import { say } from '@coffer/kit/reasons/reasons'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { type Values, valuesOf } from '../../http/bodies/update.ts'
import {
  boolean,
  id,
  line,
  list,
  nullOr,
  object,
  oneOf,
  rule,
  typed,
} from '../../http/fields/fields.ts'
import { lineShape } from '../../http/fields/shapes.ts'
import { integerText, optionalBoolean, value } from '../../http/queries/query.ts'
import { rowJoins } from './row-joins.ts'

const headerRowMax = 1000
/** Maximum number of accounts in a file that one request assigns (docs/limits.md). */
const mappedMax = 20
const rowText = say('INTEGER_RANGE', { min: 0, max: headerRowMax })

const descriptions = {
  delimiter: 'Delimiter of the columns: a comma, a semicolon, a bar or a tab',
  encoding: 'Encoding of the text, a label of the Encoding Standard such as windows-1250',
  headerRow: 'Line with the names of the columns, from 1; 0 if the file has none',
  dateFormat: 'Format of the dates, instead of that of the mapping, such as D MMM YYYY',
  decimalMark: 'Mark in front of decimals: a point or a comma',
  dayFirst: 'Whether days are written before months',
  minusReverses: 'Whether debits and credits with a minus go the other way: -5.00 comes back',
  sheet: 'Sheet to read, of a workbook that has several, by its name; only as the file is sent',
  statement:
    'Account to read, of a file that holds several: statement of one of those listed; ' +
    '* for all rows of a CSV file',
} as const

const labelRange = { min: 1, max: 40 }
const label = line(labelRange).optional()
const nameRange = { min: 1, max: 300 }
const name = line(nameRange)
const headerRow = z
  .int({ error: typed(rowText) })
  .min(0, rowText)
  .max(headerRowMax, rowText)
const delimiters = values['ReadingChoices.delimiter']
const delimiter = oneOf(delimiters)
const decimalMarks = values['ReadingChoices.decimalMark']
const decimalMark = oneOf(decimalMarks)

/** Parsing options in a body, for a file of several accounts. */
export const severalChoices = {
  encoding: label.describe(descriptions.encoding),
  decimalMark: decimalMark.optional().describe(descriptions.decimalMark),
  dayFirst: boolean.optional().describe(descriptions.dayFirst),
}

/** Parsing options in a body, for an uploaded file (docs/files.md#choices). */
export const fileChoices = {
  ...severalChoices,
  statement: name.optional().describe(descriptions.statement),
}

/** Bank accounts for the accounts in a file (docs/files.md#all-accounts). */
export const statementMappings = list(
  object({
    statement: name.describe('Account of the file: statement of one of those listed'),
    bankAccountId: id('bac').describe('ID of a manual bank account, another one for each'),
    joins: rowJoins.optional(),
  }),
)
  .max(mappedMax, rule(say('STATEMENTS_MAX', { max: mappedMax })))
  .describe('The bank accounts of the accounts of the file; the others are left out')

const againText = '; null to detect it again'

/** Parsing options in a body, for a CSV file; null resets an option. */
export const csvChoices = {
  delimiter: delimiter
    .nullable()
    .optional()
    .describe(descriptions.delimiter + againText),
  headerRow: nullOr(headerRow)
    .optional()
    .describe(descriptions.headerRow + againText),
  dateFormat: label.nullable().describe(descriptions.dateFormat + againText),
  encoding: label.nullable().describe(descriptions.encoding + againText),
  decimalMark: decimalMark
    .nullable()
    .optional()
    .describe(descriptions.decimalMark + againText),
  dayFirst: boolean
    .nullable()
    .optional()
    .describe(descriptions.dayFirst + againText),
  minusReverses: boolean
    .nullable()
    .optional()
    .describe(descriptions.minusReverses + againText),
  statement: name.nullable().optional().describe(`${descriptions.statement}; null to be asked`),
}

const labelShape = { type: 'string', ...lineShape(labelRange) } as const

const sent = {
  encoding: value.pipe(label).meta({ ...labelShape, description: descriptions.encoding }),
  decimalMark: value
    .pipe(decimalMark.optional())
    .meta({ type: 'string', enum: [...decimalMarks], description: descriptions.decimalMark }),
  dayFirst: optionalBoolean.meta({ type: 'boolean', description: descriptions.dayFirst }),
}

const sentStatement = value
  .pipe(name.optional())
  .meta({ type: 'string', ...lineShape(nameRange), description: descriptions.statement })

const preview = optionalBoolean.meta({
  type: 'boolean',
  description: 'Answers what the import would do, and stores nothing',
})

/** Parsing options in a query, for an uploaded file. */
export const uploadQuery = z.object({
  preview,
  ...sent,
  statement: sentStatement,
})

/** Parsing options in a query, for a file of several accounts. */
export const severalQuery = z.object({ preview, ...sent })

/** Returns the bank accounts for the accounts in a file, as messages. */
export function mappingsOf(statements: z.infer<typeof statementMappings>) {
  return statements.map(({ joins, ...one }) => (joins ? { ...one, joins: { joins } } : one))
}

/** Parsing options in a query, for a CSV file. */
export const csvQuery = z.object({
  delimiter: value
    .pipe(delimiter.optional())
    .meta({ type: 'string', enum: [...delimiters], description: descriptions.delimiter }),
  headerRow: value
    .transform((row) => (row === undefined || !integerText.test(row) ? row : Number(row)))
    .pipe(headerRow.optional())
    .meta({
      type: 'integer',
      minimum: 0,
      maximum: headerRowMax,
      description: descriptions.headerRow,
    }),
  dateFormat: value.pipe(label).meta({ ...labelShape, description: descriptions.dateFormat }),
  sheet: value
    .pipe(name.optional())
    .meta({ type: 'string', ...lineShape(nameRange), description: descriptions.sheet }),
  statement: sentStatement,
  minusReverses: optionalBoolean.meta({
    type: 'boolean',
    description: descriptions.minusReverses,
  }),
  ...sent,
})

/** Returns the parsing options that were sent, as a message; empty without any. */
export function choicesOf(
  all: Partial<z.infer<typeof csvQuery> & Omit<z.infer<typeof uploadQuery>, 'preview'>>,
): {
  choices?: Values<typeof all>
} {
  const choices = valuesOf(all)
  return Object.keys(choices).length === 0 ? {} : { choices }
}
