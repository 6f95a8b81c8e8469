import { toRest } from '@coffer/kit/message'
import { progressSubject } from '@coffer/kit/progress'
import { UploadSchema, UploadService } from '@coffer/proto/ledger/v1/upload'
import { formFile } from '../form.ts'
import { showProgress } from '../progress.ts'
import { given, rendered } from '../rest.ts'
import { type Lookup, type Route, route, socketRoute } from '../route.ts'
import type { RouteDeps } from '../routes.ts'

const uploadPath = '/api/bank_accounts/:bankAccountId/transactions/upload/:transactionUploadId'

/** Files of transactions and how far their import is (spec/ledger.md 6). */
export function uploadRoutes({ mesh, broker, progressTimes }: RouteDeps): Route[] {
  const uploads = mesh.client('ledger', UploadService)
  const find = ({
    params,
    options,
  }: Lookup<{ bankAccountId: string; transactionUploadId: string }>) =>
    uploads.getUpload(params, options)
  return [
    route({
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions/upload',
      summary:
        'Upload a file of transactions (OFX, QFX, QBO, CAMT.053, QIF) to a manual bank account',
      auth: 'key',
      feature: 'uploads',
      idempotent: true,
      file: 'data',
      body: formFile,
      answer: UploadSchema,
      handler: async ({ params, body, writeOptions }) => {
        const { upload } = await uploads.createUpload({ ...params, ...body }, writeOptions)
        return rendered(UploadSchema, upload)
      },
    }),
    route({
      method: 'GET',
      path: uploadPath,
      summary: 'How far an upload is',
      auth: 'key',
      feature: 'uploads',
      answer: UploadSchema,
      handler: async (call) => rendered(UploadSchema, (await find(call)).upload),
    }),
    socketRoute({
      path: `${uploadPath}/progress`,
      summary: 'Progress of an upload, over a WebSocket',
      auth: 'key',
      feature: 'uploads',
      find,
      socket: async ({ params, socket, accountId, renewOptions }) => {
        await showProgress({
          socket,
          connection: broker.connection,
          subject: broker.subject(progressSubject({ accountId, id: params.transactionUploadId })),
          times: progressTimes ?? { pollMs: 5_000, limitMs: 120_000 },
          read: async () => {
            const { upload } = await find({ params, options: await renewOptions() })
            const state = toRest(UploadSchema, given(upload))
            return { ...state, status: given(upload).status }
          },
        })
      },
    }),
  ]
}
