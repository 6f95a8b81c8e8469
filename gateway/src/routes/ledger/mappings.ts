import type { MessageInitShape } from '@bufbuild/protobuf'
import { type MappingProblems, problemsOfMapping } from '@coffer/kit/values/mapping-rules'
import {
  type CreateMappingRequestSchema,
  ImportMappingSchema,
  MappingService,
} from '@coffer/proto/ledger/v1/mapping'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { boolean, list, object, oneOf, text } from '../../http/fields/fields.ts'
import { dayFormatShape, formShape, lineShape } from '../../http/fields/shapes.ts'
import { nextPageLink } from '../../http/queries/cursor.ts'
import { mappingPage } from '../../http/queries/query.ts'
import { type Route, route } from '../../http/route.ts'

/** A text of the mapping; only the ledger checks its length. */
const lineOf = (min: number, max: number) => text.meta(lineShape({ min, max }))

const field = object({
  name: lineOf(1, 100).optional().describe('Name of a column, as in headers'),
  derivedKind: text
    .meta(formShape('rowNumber'))
    .optional()
    .describe('Instead of name: rowNumber, the number of the row below the header, from 1'),
}).meta({ minProperties: 1, maxProperties: 1 })
const fields = (meaning: string, { min, max }: { min: number; max: number }) =>
  list(field).meta({ description: meaning, minItems: min, maxItems: max, uniqueItems: true })
const one = { min: 1, max: 1 }

const amountFields =
  'sign: the column of the amount. type: those of the amount and of the direction. ' +
  'column: that of debits, then that of credits'

interface Found {
  path: string[]
  message: string
}

/** Flattens a tree of problems to a list with paths. */
function listProblems(problems: MappingProblems, path: string[] = []): Found[] {
  return Object.entries(problems).flatMap(([key, problem]) => {
    const at = [...path, key]
    return typeof problem === 'string'
      ? [{ path: at, message: problem }]
      : listProblems(problem, at)
  })
}

/**
 * Schema of a mapping, with the rules of its parts (docs/files.md#csv-mappings), so that all
 * problems are reported at once.
 */
const creation = z.strictObject({
  mapping: object({
    headers: list(lineOf(1, 100)).meta({
      description: 'Names of all columns of the file, in its order; 1 to 20',
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
    }),
    id: object({
      kind: oneOf(values['MappingIdentifier.kind']).describe(
        'native: the columns hold an identifier of the bank. hashed: they only tell rows apart',
      ),
      fields: fields('Columns whose values together identify a row; 1 to 20 different ones', {
        min: 1,
        max: 20,
      }),
    }).describe('Identifier of a row: a row with a stored identifier is skipped'),
    amount: object({
      kind: oneOf(values['MappingAmount.kind']).describe(
        'sign: a signed amount. type: an amount and a text with its direction. column: a column ' +
          'of debits and one of credits',
      ),
      invert: boolean.describe(
        'Turns every sign. A positive amount leaves the account here, so true for a file of kind ' +
          'sign in which money that leaves is negative, as most banks write it',
      ),
      fields: fields(amountFields, { min: 1, max: 2 }),
      credit: lineOf(1, 100).optional().describe('Kind type only: the word for incoming money'),
      debit: lineOf(1, 100).optional().describe('Kind type only: the word for money that leaves'),
    }).describe('Rule by which a row has its amount'),
    memo: field.describe('Column of the text of the transaction'),
    merchant: field.optional().describe('Column of a shorter name, such as that of the merchant'),
    date: object({
      fields: fields('The one column of the date', one),
      format: text
        .meta(dayFormatShape)
        .describe(
          '6 to 10 characters: YYYY or YY, MM or M, DD or D once each, between them . - / or a ' +
            'blank, like MM/DD/YYYY. A time behind the day is ignored',
        ),
    }).describe('Column and format of the day of a row'),
    posted: object({
      fields: fields('The one column that tells posted rows from pending ones', one),
      posted: lineOf(0, 100).describe(
        'Text of the column in posted rows; any other text is pending',
      ),
    })
      .optional()
      .describe('State of a row; without it, every row is posted'),
    balance: object({
      kind: oneOf(values['MappingBalance.kind']).describe(
        'none: the file states no balance. sum: the balance is the sum of all rows. field: the ' +
          'latest posted row has it in a column',
      ),
      fields: fields('The one column of the balance; only for kind field', {
        min: 0,
        max: 1,
      }).optional(),
    }).describe('Place of the balance in the file'),
  })
    // Applies the ledger's rules of mappings once the schema is valid.
    .superRefine(
      (mapping, context) => {
        for (const found of listProblems(problemsOfMapping(mapping) ?? {})) {
          context.addIssue({ code: 'custom', ...found })
        }
      },
      { when: ({ issues }) => issues.length > 0 },
    )
    .describe('Rules by which the columns become transactions (docs/files.md#csv-mappings)'),
})

/** Returns the routes of CSV mappings (docs/files.md#csv-mappings). */
export function mappingRoutes({ mesh }: RouteDeps): Route[] {
  const mappings = mesh.client('ledger', MappingService)
  return [
    route({
      id: 'listMappings',
      tag: 'Files',
      method: 'GET',
      path: '/api/mappings',
      summary: 'Mappings of CSV files, newest first; all, or those of a signature',
      description: 'An import has the signature of its columns, by which its mapping is found.',
      since: '0.1.0',
      auth: 'key',
      feature: 'uploads',
      query: mappingPage,
      isFiltered: true,
      isPaged: true,
      answer: { list: ImportMappingSchema },
      handler: async ({ query: { after: before, ...page }, options, request, reply }) => {
        const listed = await mappings.listMappings(valuesOf({ ...page, before }), options)
        const last = listed.mappings[page.limit - 1]
        if (last) {
          reply.header('link', nextPageLink(request.url, [last.transactionImportMappingId]))
        }
        return listed.mappings
      },
    }),
    route({
      id: 'createMapping',
      tag: 'Files',
      method: 'POST',
      path: '/api/mappings',
      summary: 'Create a mapping from columns of CSV files to transactions',
      description:
        'Mappings belong to the account and fit every file with the same columns. They are not ' +
        'changed: create another one (docs/files.md#csv-mappings).',
      since: '0.1.0',
      auth: 'key',
      feature: 'uploads',
      body: creation,
      answer: ImportMappingSchema,
      handler: async ({ body, options }) => {
        const request = body as MessageInitShape<typeof CreateMappingRequestSchema>
        const { mapping } = await mappings.createMapping(request, options)
        return mapping
      },
    }),
    route({
      id: 'deleteMapping',
      tag: 'Files',
      method: 'DELETE',
      path: '/api/mappings/:transactionImportMappingId',
      summary: 'Delete a mapping; imports that use it keep it',
      description: 'Imports keep a copy of their mapping.',
      since: '0.2.0',
      auth: 'key',
      feature: 'uploads',
      handler: ({ params, options }) => mappings.deleteMapping(params, options),
    }),
  ]
}
