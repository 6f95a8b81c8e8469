import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { problemsOfMapping } from '@coffer/kit/values/mapping-rules'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import {
  type CsvMapping as CsvMappingMessage,
  CsvMappingSchema,
  ImportMappingSchema,
  type MappingService,
} from '@coffer/proto/ledger/v1/mapping'
import type { ServiceImpl } from '@connectrpc/connect'
import { type Bounds, mappingBound } from '../accounts/bounds.sql.ts'
import { CsvMapping, signatureOf } from './formats/csv/csv-mapping.ts'
import { deleteMapping, type ImportMapping, insertMapping, listMappings } from './mapping.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { config: Bounds }

/** Returns the RPC handlers of CSV mappings (docs/files.md#csv-mappings). */
export function mappingRoutes({
  config,
  database,
  clock,
}: Deps): ServiceImpl<typeof MappingService> {
  return {
    listMappings: async ({ signature = null, before = null, limit, offset, ...of }, context) => {
      const { accountId } = callerOf(context)
      const ids = of.transactionImportMappingIds
      const page = { signature, before, ids, limit, offset }
      const found = await listMappings(database, accountId, page)
      return { mappings: found.map(renderMapping) }
    },
    createMapping: async (request, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const mapping = parseMapping(request.mapping)
      const now = clock()
      const made = {
        accountId,
        createdBy,
        mapping,
        transactionImportMappingId: newId('txix'),
        signature: signatureOf(mapping.headers),
        createdAt: now,
        updatedAt: now,
      }
      const objects = [
        { type: 'mapping.created', objectId: made.transactionImportMappingId },
      ] as const
      const changes = objectsChanged(ObjectsChangedSchema, { accountId, now }, objects)
      await database.transaction(async (tx) => {
        await insertMapping(tx, made, changes)
        await requireWithin(tx, mappingBound(config, accountId))
      })
      return { mapping: renderMapping(made) }
    },
    deleteMapping: async ({ transactionImportMappingId }, context) => {
      const { accountId } = callerOf(context)
      const which = { transactionImportMappingId, now: clock() }
      if (!(await deleteMapping(database, accountId, which))) throw notFound('mapping')
      return {}
    },
  }
}

function parseMapping(message: CsvMappingMessage | undefined): CsvMapping {
  const parsed = CsvMapping.safeParse(message)
  if (!parsed.success) throw invalid({ mapping: say('MAPPING') })
  const problems = problemsOfMapping(parsed.data)
  if (problems) throw invalid({ mapping: problems })
  return parsed.data
}

function renderMapping(entity: ImportMapping) {
  const mapping = create(
    CsvMappingSchema,
    entity.mapping as MessageInitShape<typeof CsvMappingSchema>,
  )
  return toMessage(ImportMappingSchema, { ...entity, mapping })
}
