import { type GetImportResponse, ImportSchema, ImportService } from '@coffer/proto/ledger/v1/import'
import { ReadingChoicesSchema } from '@coffer/proto/ledger/v1/upload'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { sendFile } from '../../http/bodies/file-parts.ts'
import { formFile } from '../../http/bodies/form.ts'
import { updateOf, valuesOf } from '../../http/bodies/update.ts'
import { exactly, id } from '../../http/fields/fields.ts'
import { nextPageLink, pageText } from '../../http/queries/cursor.ts'
import { pagedById } from '../../http/queries/query.ts'
import { type Lookup, type Route, route } from '../../http/route.ts'
import { choicesOf, csvChoices, csvQuery } from './reading-choices.ts'
import { rowJoins } from './row-joins.ts'

const importPath = '/api/bank_accounts/:bankAccountId/transactions/import/:transactionImportId'

/** The next step of an import: choose its mapping, or process it (docs/files.md#csv-mappings). */
const step = z.union([
  z.strictObject({
    ...csvChoices,
    transactionImportMappingId: id('txix').describe(
      'Mapping whose columns the file has; without choices the import must have status mapping',
    ),
    status: exactly('pending-preview').describe('Requests the preview by the mapping'),
  }),
  z.strictObject({
    status: exactly('pending-processing').describe(
      'Stores the transactions of the preview; the import must have status preview',
    ),
    joins: rowJoins.optional(),
  }),
  z.strictObject(csvChoices),
])

type Sent = Partial<Record<'transactionImportMappingId' | 'status', string>> & {
  joins?: z.infer<typeof rowJoins> | undefined
} & Partial<z.infer<z.ZodObject<typeof csvChoices>>>

type Find = (
  lookup: Lookup<{ bankAccountId: string; transactionImportId: string }>,
) => Promise<GetImportResponse>

/** Returns the routes of imports of CSV files (docs/files.md#csv-mappings). */
export function importRoutes({ mesh, ledgerTimeoutMs }: RouteDeps): Route[] {
  const imports = mesh.client('ledger', ImportService)
  const find: Find = ({ params, options }) => imports.getImport(params, options)
  return [
    route({
      id: 'createImport',
      tag: 'Files',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions/import',
      summary: 'Upload a CSV file or a sheet (XLSX, ODS, HTML) to a manual bank account',
      description:
        'Answers the columns of the file. The next step is a mapping; nothing is stored before ' +
        'the preview is confirmed (docs/files.md#csv-mappings).',
      since: '0.1.0',
      auth: 'key',
      feature: 'uploads',
      idempotent: true,
      file: 'data',
      body: formFile,
      query: csvQuery,
      answer: ImportSchema,
      handler: async (call) => {
        const file = { ...call, ...choicesOf(call.query) }
        return (await sendFile(file, imports.createImport, ledgerTimeoutMs)).import
      },
    }),
    listRoute(imports),
    route({
      id: 'getImport',
      tag: 'Files',
      method: 'GET',
      path: importPath,
      summary:
        'Status of an import (mapping, pending-preview, preview, pending-processing, ' +
        'processing, complete, failed or expired), and the preview of its transactions',
      description: 'Repeat it while status is pending-preview, pending-processing or processing.',
      since: '0.1.0',
      auth: 'key',
      feature: 'uploads',
      answer: ImportSchema,
      handler: async (call) => (await find(call)).import,
    }),
    updateRoute(imports, find),
    route({
      id: 'deleteImport',
      tag: 'Files',
      method: 'DELETE',
      path: importPath,
      summary: 'Discard an import that is not processed: removes its file',
      description:
        'Its status is expired then; a second time changes nothing. Of an import that was ' +
        'processed, undo the upload (docs/files.md#undoing).',
      since: '0.4.0',
      auth: 'key',
      feature: 'uploads',
      answers: { 409: 'The import, or its preview, is being processed, or it was' },
      handler: ({ params, options }) => imports.deleteImport(params, options),
    }),
  ]
}

function updateRoute(imports: Client<typeof ImportService>, find: Find): Route {
  return route({
    id: 'updateImport',
    tag: 'Files',
    method: 'PATCH',
    path: importPath,
    summary: 'Choose the mapping of an import, or store the transactions of its preview',
    description:
      'Two steps: pending-preview with a mapping, then pending-processing; others are 400. ' +
      'Choices read the file again, also after a failed preview; one that is null is detected ' +
      'again (docs/files.md#choices).',
    since: '0.1.0',
    auth: 'key',
    feature: 'uploads',
    body: step,
    find,
    answer: ImportSchema,
    handler: async ({ params, body, options }) => {
      const { transactionImportMappingId, status = '', joins = [], ...choices }: Sent = body
      const step = { status, ...valuesOf({ transactionImportMappingId }) }
      const { updateMask: choicesMask, ...stated } = updateOf(ReadingChoicesSchema, choices)
      const sent = choicesMask.paths.length > 0 ? { choices: stated, choicesMask } : {}
      const request = { ...params, ...step, joins, ...sent }
      return (await imports.updateImport(request, options)).import
    },
  })
}

function listRoute(imports: Client<typeof ImportService>): Route {
  return route({
    id: 'listImports',
    tag: 'Files',
    method: 'GET',
    path: '/api/bank_accounts/:bankAccountId/transactions/import',
    summary: 'Imports of CSV files into a bank account, newest first, with their uploads',
    description: pageText,
    since: '0.3.0',
    auth: 'key',
    feature: 'uploads',
    query: pagedById('txim'),
    isPaged: true,
    answer: { list: ImportSchema },
    handler: async ({ params, query: { limit, after: before }, options, request, reply }) => {
      const page = { ...params, limit, ...valuesOf({ before }) }
      const { imports: shown, hasMore } = await imports.listImports(page, options)
      const last = hasMore ? shown.at(-1) : undefined
      if (last) reply.header('link', nextPageLink(request.url, [last.transactionImportId]))
      return shown
    },
  })
}
