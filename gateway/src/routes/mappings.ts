import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  type CreateMappingRequestSchema,
  ImportMappingSchema,
  MappingService,
} from '@coffer/proto/ledger/v1/mapping'
import { z } from 'zod'
import { boolean, list, object, oneOf, text } from '../fields.ts'
import { mappingPage } from '../query.ts'
import { rendered, renderedAll } from '../rest.ts'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'

const field = object({ name: text.optional(), derivedKind: text.optional() })
const fields = list(field)

/** The shape of a mapping; the ledger says what its parts may be (spec/ledger.md 7.4). */
const creation = z.strictObject({
  mapping: object({
    headers: list(text),
    id: object({ kind: oneOf(['native', 'hashed']), fields }),
    amount: object({
      kind: oneOf(['sign', 'type', 'column']),
      invert: boolean,
      fields,
      credit: text.optional(),
      debit: text.optional(),
    }),
    memo: field,
    merchant: field.optional(),
    date: object({ fields, format: text }),
    posted: object({ fields, posted: text }).optional(),
    balance: object({ kind: oneOf(['none', 'sum', 'field']), fields: fields.optional() }),
  }),
})

/** How columns of CSV files become transactions (spec/ledger.md 7.4). */
export function mappingRoutes({ mesh }: RouteDeps): Route[] {
  const mappings = mesh.client('ledger', MappingService)
  return [
    route({
      method: 'GET',
      path: '/api/mappings',
      summary: 'Mappings of CSV files, the newest first; those of a signature, or all',
      auth: 'key',
      feature: 'uploads',
      query: mappingPage,
      answer: { list: ImportMappingSchema },
      handler: async ({ query: { signature, ...page }, options }) => {
        const request = signature === undefined ? page : { ...page, signature }
        const { mappings: found } = await mappings.listMappings(request, options)
        return renderedAll(ImportMappingSchema, found)
      },
    }),
    route({
      method: 'POST',
      path: '/api/mappings',
      summary: 'Say how columns of CSV files become transactions',
      auth: 'key',
      feature: 'uploads',
      body: creation,
      answer: ImportMappingSchema,
      handler: async ({ body, options }) => {
        const request = body as MessageInitShape<typeof CreateMappingRequestSchema>
        const { mapping } = await mappings.createMapping(request, options)
        return rendered(ImportMappingSchema, mapping)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/mappings/:transactionImportMappingId',
      summary: 'Delete a mapping; imports that use it go on with it',
      auth: 'key',
      feature: 'uploads',
      handler: async ({ params, options }) => {
        await mappings.deleteMapping(params, options)
      },
    }),
  ]
}
