import { ImportSchema, ImportService } from '@coffer/proto/ledger/v1/import'
import { z } from 'zod'
import { exactly, id } from '../../http/bodies/fields.ts'
import { sendFile } from '../../http/bodies/file-parts.ts'
import { formFile } from '../../http/bodies/form.ts'
import { rendered } from '../../http/rest.ts'
import { type Lookup, type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

const importPath = '/api/bank_accounts/:bankAccountId/transactions/import/:transactionImportId'

/** The next step of an import: its mapping, or its processing (spec/ledger.md 7.3). */
const step = z.union([
  z.strictObject({
    transactionImportMappingId: id('txix'),
    status: exactly('pending-preview'),
  }),
  z.strictObject({ status: exactly('pending-processing') }),
])

/** CSV files on their way to become transactions (spec/ledger.md 7.1 to 7.3). */
export function importRoutes({ mesh, ledgerWaitMs }: RouteDeps): Route[] {
  const imports = mesh.client('ledger', ImportService)
  const find = ({
    params,
    options,
  }: Lookup<{ bankAccountId: string; transactionImportId: string }>) =>
    imports.getImport(params, options)
  return [
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions/import',
      summary: 'Hand in a CSV file of transactions for a manual bank account',
      auth: 'key',
      feature: 'uploads',
      idempotent: true,
      file: 'data',
      body: formFile,
      answer: ImportSchema,
      handler: async (call) => {
        const { import: made } = await sendFile(call, imports.createImport, ledgerWaitMs)
        return rendered(ImportSchema, made)
      },
    }),
    route({
      method: 'GET',
      path: importPath,
      summary:
        'How far an import is (mapping, pending-preview, preview, pending-processing, ' +
        'processing, complete, failed or expired), and what it would store',
      auth: 'key',
      feature: 'uploads',
      answer: ImportSchema,
      handler: async (call) => rendered(ImportSchema, (await find(call)).import),
    }),
    route({
      method: 'PATCH',
      path: importPath,
      summary: 'Choose the mapping of an import, or have what its preview shows stored',
      auth: 'key',
      feature: 'uploads',
      body: step,
      find,
      answer: ImportSchema,
      handler: async ({ params, body, options }) => {
        const request = { ...params, ...body }
        return rendered(ImportSchema, (await imports.updateImport(request, options)).import)
      },
    }),
  ]
}
