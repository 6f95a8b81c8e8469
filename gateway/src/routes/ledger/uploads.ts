import { progressSubject } from '@coffer/kit/events/progress'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { FileService } from '@coffer/proto/ledger/v1/file'
import {
  FileSchema,
  type GetUploadResponse,
  UploadSchema,
  UploadService,
} from '@coffer/proto/ledger/v1/upload'
import { values } from '@coffer/proto/values'
import type { Client } from '@connectrpc/connect'
import { createRecalculation } from '../../compose/recalculation.ts'
import type { RouteDeps } from '../../deps.ts'
import { renderAnswer, requirePart } from '../../http/answers/answer.ts'
import { sendFile } from '../../http/bodies/file-parts.ts'
import { type Form, formFile } from '../../http/bodies/form.ts'
import { parseList } from '../../http/bodies/form-parts.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { object } from '../../http/fields/fields.ts'
import { nextPageLink, pageText } from '../../http/queries/cursor.ts'
import { pagedById } from '../../http/queries/query.ts'
import { type Lookup, type Route, route, socketRoute } from '../../http/route.ts'
import { showProgress } from '../../sockets/progress.ts'
import { choicesOf, fileChoices, uploadQuery } from './reading-choices.ts'
import { rowJoins } from './row-joins.ts'

/**
 * Timeout in ms: for a preview, the file is parsed before the answer, in a worker thread that may
 * be busy.
 */
const previewTimeoutMs = 30_000
const uploadPath = '/api/bank_accounts/:bankAccountId/transactions/upload/:transactionUploadId'

type Find = (
  lookup: Lookup<{ bankAccountId: string; transactionUploadId: string }>,
) => Promise<GetUploadResponse>

/**
 * Returns the routes of uploads of transaction files, and of the files (docs/files.md#uploading).
 */
export function uploadRoutes(deps: RouteDeps): Route[] {
  const { mesh, ledgerTimeoutMs } = deps
  const uploads = mesh.client('ledger', UploadService)
  const files = mesh.client('ledger', FileService)
  const find: Find = ({ params, options }) => uploads.getUpload(params, options)
  return [
    route({
      id: 'createUpload',
      tag: 'Files',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/transactions/upload',
      summary:
        'Upload a file of transactions (OFX, CAMT, MT940, QIF and others) to a manual bank account',
      description:
        'The file is imported in the background: read the upload, or watch its progress. Rows ' +
        'that are stored already are skipped; a stated balance may set that of the bank ' +
        'account. CSV files go to import (docs/files.md#uploading).',
      since: '0.1.0',
      auth: 'key',
      feature: 'uploads',
      idempotent: true,
      file: 'data',
      formParts: { joins: rowJoins },
      body: formFile,
      query: uploadQuery,
      answer: UploadSchema,
      handler: async (call) => {
        const { preview = false, ...choices } = call.query
        const file = { ...call, ...choicesOf(choices), parseParts, preview }
        const timeoutMs = preview ? previewTimeoutMs : ledgerTimeoutMs
        return (await sendFile(file, uploads.createUpload, timeoutMs)).upload
      },
    }),
    updateRoute(uploads, find),
    listRoute(uploads),
    route({
      id: 'getUpload',
      tag: 'Files',
      method: 'GET',
      path: uploadPath,
      summary: 'Status of an upload',
      description: 'Repeat it until status is complete or failed.',
      since: '0.1.0',
      auth: 'key',
      feature: 'uploads',
      answer: UploadSchema,
      handler: async (call) => (await find(call)).upload,
    }),
    undoRoute(deps, uploads),
    progressRoute(deps, find),
    route({
      id: 'listFiles',
      tag: 'Files',
      method: 'GET',
      path: '/api/files',
      summary: 'Uploaded files that are still stored, newest first, at most 100',
      description: 'The bytes of a file are kept only until they are read.',
      since: '0.1.0',
      auth: 'key',
      pagedBy: { id: 'fileId', newestFirst: true },
      answer: { list: FileSchema },
      handler: async ({ options }) => (await files.listFiles({}, options)).files,
    }),
  ]
}

const parseParts = (form: Form) => ({ joins: parseList(form, 'joins', rowJoins) })

function updateRoute(uploads: Client<typeof UploadService>, find: Find): Route {
  return route({
    id: 'updateUpload',
    tag: 'Files',
    method: 'PATCH',
    path: uploadPath,
    summary: 'Read a file again by a choice that its upload asks for',
    description:
      'An upload that fails with asks is read again while its file is stored, for an hour; ' +
      'joins takes the place of those of the upload. ' +
      'A repetition changes nothing; any other upload is 400 (docs/files.md#choices).',
    since: '0.4.0',
    auth: 'key',
    feature: 'uploads',
    body: object({ ...fileChoices, joins: rowJoins.optional() }),
    find,
    answer: UploadSchema,
    handler: async ({ params, body: { joins, ...choices }, options }) => {
      const named = joins === undefined ? {} : { joins: { joins } }
      const request = { ...params, choices: valuesOf(choices), ...named }
      return (await uploads.updateUpload(request, options)).upload
    },
  })
}

function undoRoute(deps: RouteDeps, uploads: Client<typeof UploadService>): Route {
  const recalculate = createRecalculation(deps)
  return route({
    id: 'undoUpload',
    tag: 'Files',
    method: 'DELETE',
    path: uploadPath,
    summary: 'Undo an import: removes its transactions, restores balances and envelopes',
    description:
      'Deletes every transaction of the import, except those that rows of other imports are ' +
      'joined to, and keeps later bookings; a second time changes nothing. ' +
      '409 while the import still runs (docs/files.md#undoing).',
    since: '0.1.0',
    auth: 'key',
    feature: 'uploads',
    headers: ['Coffer-Recalculation'],
    answers: { 409: 'The import is still running' },
    answer: { object: { balance: BalancesSchema, spending: { list: SpendingSchema } } },
    handler: async (call) => {
      const undone = await uploads.undoUpload(call.params, call.options)
      return { balance: undone.balance, spending: await recalculate(undone.envelopes, call) }
    },
  })
}

function listRoute(uploads: Client<typeof UploadService>): Route {
  return route({
    id: 'listUploads',
    tag: 'Files',
    method: 'GET',
    path: '/api/bank_accounts/:bankAccountId/transactions/upload',
    summary: 'Uploads to a bank account, newest first, with what undoing them needs',
    description: `Uploads of CSV imports are among them. ${pageText}`,
    since: '0.3.0',
    auth: 'key',
    feature: 'uploads',
    query: pagedById('txup'),
    isPaged: true,
    answer: { list: UploadSchema },
    handler: async ({ params, query: { limit, after: before }, options, request, reply }) => {
      const page = { ...params, limit, ...valuesOf({ before }) }
      const { uploads: shown, hasMore } = await uploads.listUploads(page, options)
      const last = hasMore ? shown.at(-1) : undefined
      if (last) reply.header('link', nextPageLink(request.url, [last.transactionUploadId]))
      return shown
    },
  })
}

/** Schema of the second and later frames; the first frame contains the whole upload. */
const progressFrame = {
  type: 'object',
  properties: {
    status: {
      type: 'string',
      enum: [...values['Upload.status'].filter((one) => one !== 'preview'), 'timed out'],
      description: 'complete, failed and timed out are in the last frame',
    },
    error: { type: ['string', 'null'], description: 'Reason of the failure, with status failed' },
    codedError: { $ref: '#/components/schemas/Reason', description: 'Code and values of `error`' },
    note: { type: 'string', description: 'Note about the file, as in the upload' },
    codedNote: { $ref: '#/components/schemas/Reason', description: 'Code and values of `note`' },
    importedCount: { type: 'integer', minimum: 0, description: 'Number of stored transactions' },
    skippedCount: {
      type: 'integer',
      minimum: 0,
      description: 'Number of rows that are not stored',
    },
    rowCount: { type: ['integer', 'null'], description: 'Number of rows in the file' },
    knownCount: {
      type: ['integer', 'null'],
      description: 'Number of rows that were there already',
    },
    joinedCount: {
      type: ['integer', 'null'],
      description: 'Number of rows that were joined to stored transactions',
    },
    unjoinedCount: {
      type: 'integer',
      minimum: 0,
      description: 'Number of named joins that were not made; in the last frame, if any is named',
    },
    skipped: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          reason: {
            type: 'string',
            enum: [...values['SkippedRows.reason']],
            description: 'Why these rows are not stored (docs/file-formats.md)',
          },
          count: { type: 'integer', minimum: 1, description: 'Number of rows with this reason' },
          rows: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                line: {
                  type: ['integer', 'null'],
                  description: 'Line of the file, from 1; null for formats without lines',
                },
                text: { type: 'string', description: 'The row as the file has it, on one line' },
              },
            },
            description: 'The first ten of them',
          },
        },
      },
      description: 'Other rows that are not stored, by reason, as in the upload',
    },
  },
  required: ['status'],
}

const progressKeys = Object.keys(progressFrame.properties)

function progressRoute({ broker, progressTimes }: RouteDeps, find: Find): Route {
  return socketRoute({
    id: 'watchUpload',
    tag: 'Files',
    path: `${uploadPath}/progress`,
    summary: 'Progress of an upload, over a WebSocket',
    description: 'The first frame is the whole upload, later ones have what changed.',
    since: '0.1.0',
    auth: 'key',
    feature: 'uploads',
    find,
    frames: [UploadSchema, { json: progressFrame }],
    socket: async ({ params, socket, accountId, renewOptions }) => {
      await showProgress({
        socket,
        connection: broker.hasConnected() ? broker.connection : null,
        subject: broker.subject(progressSubject({ accountId, id: params.transactionUploadId })),
        keys: progressKeys,
        finalStatuses: ['complete', 'failed', 'timed out'],
        statusAtLimit: 'timed out',
        times: progressTimes ?? { pollMs: 5_000, limitMs: 120_000 },
        read: async () => {
          const { upload } = await find({ params, options: await renewOptions() })
          const state = renderAnswer(UploadSchema, upload) as object
          return { ...state, status: requirePart(upload).status }
        },
      })
    },
  })
}
