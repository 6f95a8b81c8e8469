import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import {
  type GetUploadGroupResponse,
  UploadGroupSchema,
  UploadGroupService,
} from '@coffer/proto/ledger/v1/upload_group'
import type { Client } from '@connectrpc/connect'
import { createRecalculation } from '../../compose/recalculation.ts'
import type { RouteDeps } from '../../deps.ts'
import { sendFile } from '../../http/bodies/file-parts.ts'
import { type Form, formFile } from '../../http/bodies/form.ts'
import { parseList } from '../../http/bodies/form-parts.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { object } from '../../http/fields/fields.ts'
import { nextPageLink, pageText } from '../../http/queries/cursor.ts'
import { pagedById } from '../../http/queries/query.ts'
import { type Lookup, type Route, route } from '../../http/route.ts'
import {
  choicesOf,
  mappingsOf,
  severalChoices,
  severalQuery,
  statementMappings,
} from './reading-choices.ts'

/** Timeout in ms: the file is parsed before the answer, in a worker thread that may be busy. */
const readingTimeoutMs = 30_000
const path = '/api/uploads'
const groupPath = `${path}/:uploadGroupId` as const

type Find = (lookup: Lookup<{ uploadGroupId: string }>) => Promise<GetUploadGroupResponse>

/** Returns the routes of files of several accounts (docs/files.md#all-accounts). */
export function uploadGroupRoutes(deps: RouteDeps): Route[] {
  const groups = deps.mesh.client('ledger', UploadGroupService)
  const find: Find = ({ params, options }) => groups.getUploadGroup(params, options)
  return [
    createRoute(groups),
    listRoute(groups),
    route({
      id: 'getUploadGroup',
      tag: 'Files',
      method: 'GET',
      path: groupPath,
      summary: 'Status of an upload of several accounts, with the import of each',
      description: 'Each import has a progress socket of its own, under its bank account.',
      since: '0.4.0',
      auth: 'key',
      feature: 'uploads',
      answer: UploadGroupSchema,
      handler: async (call) => (await find(call)).uploadGroup,
    }),
    updateRoute(groups, find),
    undoRoute(deps, groups),
  ]
}

function createRoute(groups: Client<typeof UploadGroupService>): Route {
  return route({
    id: 'createUploadGroup',
    tag: 'Files',
    method: 'POST',
    path,
    summary: 'Upload a file of several accounts, for all of them at once',
    description:
      'The answer lists the accounts of the file. The form field statements maps them to bank ' +
      'accounts, whose imports start; without it nothing is imported, and a PATCH maps them ' +
      'within an hour. With preview nothing is stored: each mapped account has what its import ' +
      'would do (docs/files.md#all-accounts).',
    since: '0.4.0',
    auth: 'key',
    feature: 'uploads',
    idempotent: true,
    file: 'data',
    formParts: { statements: statementMappings },
    body: formFile,
    query: severalQuery,
    answer: UploadGroupSchema,
    handler: async (call) => {
      const { preview = false, ...choices } = call.query
      const file = { ...call, params: {}, ...choicesOf(choices), parseParts, preview }
      return (await sendFile(file, groups.createUploadGroup, readingTimeoutMs)).uploadGroup
    },
  })
}

const parseParts = (form: Form) => ({
  statements: mappingsOf(parseList(form, 'statements', statementMappings)),
})

function listRoute(groups: Client<typeof UploadGroupService>): Route {
  return route({
    id: 'listUploadGroups',
    tag: 'Files',
    method: 'GET',
    path,
    summary: 'Uploads of several accounts, newest first',
    description: `Skipped rows have no texts here. ${pageText}`,
    since: '0.4.0',
    auth: 'key',
    feature: 'uploads',
    query: pagedById('upgr'),
    isPaged: true,
    answer: { list: UploadGroupSchema },
    handler: async ({ query: { limit, after: before }, options, request, reply }) => {
      const page = { limit, ...valuesOf({ before }) }
      const { uploadGroups, hasMore } = await groups.listUploadGroups(page, options)
      const last = hasMore ? uploadGroups.at(-1) : undefined
      if (last) reply.header('link', nextPageLink(request.url, [last.uploadGroupId]))
      return uploadGroups
    },
  })
}

function updateRoute(groups: Client<typeof UploadGroupService>, find: Find): Route {
  return route({
    id: 'updateUploadGroup',
    tag: 'Files',
    method: 'PATCH',
    path: groupPath,
    summary: 'Import further accounts of a file, or failed ones again',
    description:
      'Possible while the file is stored, for an hour. Choices alone repeat the imports that ask ' +
      'for one. An account that is imported already stays as it is (docs/files.md#all-accounts).',
    since: '0.4.0',
    auth: 'key',
    feature: 'uploads',
    body: object({ statements: statementMappings.optional(), ...severalChoices }),
    find,
    answer: UploadGroupSchema,
    handler: async ({ params, body: { statements = [], ...choices }, writeOptions }) => {
      const request = { ...params, statements: mappingsOf(statements), ...choicesOf(choices) }
      const options = { ...writeOptions, timeoutMs: readingTimeoutMs }
      return (await groups.updateUploadGroup(request, options)).uploadGroup
    },
  })
}

function undoRoute(deps: RouteDeps, groups: Client<typeof UploadGroupService>): Route {
  const recalculate = createRecalculation(deps)
  return route({
    id: 'undoUploadGroup',
    tag: 'Files',
    method: 'DELETE',
    path: groupPath,
    summary: 'Undo an upload of several accounts: all its imports or none',
    description:
      'Restores the balances and envelopes of all its bank accounts in one step; a second time ' +
      'changes nothing. 409 while an import still runs (docs/files.md#all-accounts).',
    since: '0.4.0',
    auth: 'key',
    feature: 'uploads',
    headers: ['Coffer-Recalculation'],
    answers: { 409: 'An import still runs' },
    answer: { object: { balances: { list: BalancesSchema }, spending: { list: SpendingSchema } } },
    handler: async (call) => {
      const { parts } = await groups.undoUploadGroup(call.params, call.options)
      const spending = await Promise.all(parts.map((one) => recalculate(one.envelopes, call)))
      const balances = parts.flatMap(({ balance }) => balance ?? [])
      return { balances, spending: spending.flat() }
    },
  })
}
