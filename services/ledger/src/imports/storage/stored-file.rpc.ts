import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { FileService } from '@coffer/proto/ledger/v1/file'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import type { ServiceImpl } from '@connectrpc/connect'
import { listFiles } from '../upload.sql.ts'

const filesMax = 100

/** Returns the RPC handler that lists the newest 100 stored files of an account. */
export function fileRoutes({
  database,
}: Pick<ServiceDeps, 'database'>): ServiceImpl<typeof FileService> {
  return {
    listFiles: async (_request, context) => {
      const files = await listFiles(database, callerOf(context).accountId, filesMax)
      return { files: files.map((file) => toMessage(FileSchema, file)) }
    },
  }
}
