import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { invalid } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  type CsvMapping as CsvMappingMessage,
  CsvMappingSchema,
  ImportMappingSchema,
  type MappingService,
} from '@coffer/proto/ledger/v1/mapping'
import type { ServiceImpl } from '@connectrpc/connect'
import { CsvMapping, problemsOfMapping, signatureOf } from './csv-mapping.ts'
import { type ImportMapping, insertMapping, listMappings } from './mapping.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** How CSV files become transactions, remembered by their columns (spec/ledger.md 7.4). */
export function mappingRoutes({ database, clock }: Deps): ServiceImpl<typeof MappingService> {
  return {
    listMappings: async ({ signature = null, limit, offset }, context) => {
      const { accountId } = callerOf(context)
      const found = await listMappings(database, accountId, { signature, limit, offset })
      return { mappings: found.map(messageOf) }
    },
    createMapping: async (request, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const mapping = checked(request.mapping)
      const now = clock()
      const made = {
        ...{ accountId, createdBy, mapping },
        transactionImportMappingId: newId('txix'),
        signature: signatureOf(mapping.headers),
        createdAt: now,
        updatedAt: now,
      }
      await insertMapping(database, made)
      return { mapping: messageOf(made) }
    },
  }
}

function checked(message: CsvMappingMessage | undefined): CsvMapping {
  const parsed = CsvMapping.safeParse(message)
  if (!parsed.success) throw invalid({ mapping: 'is not a mapping' })
  const problems = problemsOfMapping(parsed.data)
  if (problems) throw invalid({ mapping: problems })
  return parsed.data
}

function messageOf(entity: ImportMapping) {
  const mapping = create(
    CsvMappingSchema,
    entity.mapping as MessageInitShape<typeof CsvMappingSchema>,
  )
  return toMessage(ImportMappingSchema, { ...entity, mapping })
}
