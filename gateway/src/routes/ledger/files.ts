import { FileService } from '@coffer/proto/ledger/v1/file'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import { renderedAll } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

/** Uploaded files that are still there (spec/ledger.md 6.7). */
export function fileRoutes({ mesh }: RouteDeps): Route[] {
  const files = mesh.client('ledger', FileService)
  return [
    route({
      method: 'GET',
      path: '/api/files',
      summary: 'Uploaded files that are still there, the newest first, at most 100',
      auth: 'key',
      answer: { list: FileSchema },
      handler: async ({ options }) => {
        const { files: found } = await files.listFiles({}, options)
        return renderedAll(FileSchema, found)
      },
    }),
  ]
}
