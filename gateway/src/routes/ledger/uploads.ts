import { progressSubject } from '@coffer/kit/events/progress'
import { toRest } from '@coffer/kit/rpc/message'
import { SpendingSchema, SpendingService } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { type GetUploadResponse, UploadSchema, UploadService } from '@coffer/proto/ledger/v1/upload'
import { recalculation } from '../../compose/recalculation.ts'
import { sendFile } from '../../http/bodies/file-parts.ts'
import { formFile } from '../../http/bodies/form.ts'
import { given, rendered } from '../../http/rest.ts'
import { type Lookup, type Route, route, socketRoute } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'
import { showProgress } from '../../sockets/progress.ts'

const uploadPath = '/api/bank_accounts/:bankAccountId/transactions/upload/:transactionUploadId'

type Find = (
  lookup: Lookup<{ bankAccountId: string; transactionUploadId: string }>,
) => Promise<GetUploadResponse>

/** Files of transactions and how far their import is (spec/ledger.md 6). */
export function uploadRoutes(deps: RouteDeps): Route[] {
  const { mesh, log, ledgerWaitMs } = deps
  const recalculate = recalculation(mesh.client('budgeting', SpendingService), log)
  const uploads = mesh.client('ledger', UploadService)
  const find: Find = ({ params, options }) => uploads.getUpload(params, options)
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
      handler: async (call) => {
        const { upload } = await sendFile(call, uploads.createUpload, ledgerWaitMs)
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
    route({
      method: 'DELETE',
      path: uploadPath,
      summary: 'Undo an import: its transactions go, what it set and took is put back',
      auth: 'key',
      feature: 'uploads',
      answer: { object: { balance: BalancesSchema, spending: { list: SpendingSchema } } },
      handler: async (call) => {
        const undone = await uploads.undoUpload(call.params, call.options)
        return {
          balance: rendered(BalancesSchema, undone.balance),
          spending: await recalculate(undone.envelopes, call),
        }
      },
    }),
    progressRoute(deps, find),
  ]
}

function progressRoute({ broker, progressTimes }: RouteDeps, find: Find): Route {
  return socketRoute({
    path: `${uploadPath}/progress`,
    summary: 'Progress of an upload, over a WebSocket',
    auth: 'key',
    feature: 'uploads',
    find,
    socket: async ({ params, socket, accountId, renewOptions }) => {
      await showProgress({
        socket,
        connection: broker.isConnected() ? broker.connection : null,
        subject: broker.subject(progressSubject({ accountId, id: params.transactionUploadId })),
        keys: ['status', 'error', 'importedCount', 'skippedCount'],
        times: progressTimes ?? { pollMs: 5_000, limitMs: 120_000 },
        read: async () => {
          const { upload } = await find({ params, options: await renewOptions() })
          const state = toRest(UploadSchema, given(upload))
          return { ...state, status: given(upload).status }
        },
      })
    },
  })
}
