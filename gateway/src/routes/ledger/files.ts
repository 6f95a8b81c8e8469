import { FileService } from '@coffer/proto/ledger/v1/file'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import type { RouteDeps } from '../../deps.ts'
import { renderAll } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'

/** Routes of stored files (docs/files.md#storing). */
export function fileRoutes({ mesh }: RouteDeps): Route[] {
  const files = mesh.client('ledger', FileService)
  return [
    route({
      method: 'GET',
      path: '/api/files',
      summary: 'Uploaded files that are still stored, newest first, at most 100',
      auth: 'key',
      answer: { list: FileSchema },
      handler: async ({ options }) => {
        const { files: found } = await files.listFiles({}, options)
        return renderAll(FileSchema, found)
      },
    }),
  ]
}
