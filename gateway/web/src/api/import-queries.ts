import { paginate } from '@coffer/client'
import type {
  CreateMappingData,
  FileStatement,
  Import,
  ImportMapping,
  MadeChoice,
  Upload,
  UploadGroup,
} from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { FileStatement, Import, ImportMapping, MadeChoice, Upload, UploadGroup }
export type JoinOffer = NonNullable<Upload['preview']>['joinOffers'][number]
export type Misfit = NonNullable<NonNullable<Upload['preview']>['misfits']>[number]
export type RowJoin = Pick<JoinOffer, 'uploadIdentifier' | 'transactionId'>
export type CsvMapping = CreateMappingData['body']['mapping']

const workingMs = 700
const restingMs = 15_000

/** Number of imports that a list shows first, and that each "more" adds. */
export const listedStep = 25
/** Maximum number of entries of a page (docs/api/lists.md). */
const pageMax = 100

/**
 * The newest imported files, plus one that shows whether there are more. Refetched often while a
 * file is processed.
 */
export function uploadsQuery(bankAccountId: string, count = listedStep) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['uploads', bankAccountId, count],
    queryFn: ({ signal }) =>
      newestOf(paginate(coffer.listUploads, { path, query: pageOf(count), signal }), count),
    placeholderData: (former, query) => (query?.queryKey[1] === bankAccountId ? former : undefined),
    refetchInterval: ({ state }) => (state.data?.some(isWorking) ? workingMs : restingMs),
  })
}

/** An import with the first rows that it skipped. These never change, so they are fetched once. */
export function uploadQuery({ bankAccountId, transactionUploadId }: Upload) {
  const path = { bankAccountId, transactionUploadId }
  return queryOptions({
    queryKey: ['upload', transactionUploadId],
    queryFn: async ({ signal }) => (await coffer.getUpload({ path, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
}

/**
 * The newest files imported into several bank accounts, plus one that shows whether there are more.
 */
export function uploadGroupsQuery(count = listedStep) {
  return queryOptions({
    queryKey: ['upload-groups', count],
    queryFn: ({ signal }) =>
      newestOf(paginate(coffer.listUploadGroups, { query: pageOf(count), signal }), count),
    placeholderData: (former) => former,
    refetchInterval: ({ state }) => {
      return state.data?.some(({ status }) => status === 'processing') ? workingMs : restingMs
    },
  })
}

function pageOf(count: number): { limit: number } {
  return { limit: Math.min(count + 1, pageMax) }
}

/** Returns the first `count` entries of a list, plus the following one if there is one. */
async function newestOf<Entry>(list: AsyncIterable<Entry>, count: number): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const one of list) if (found.push(one) > count) break
  return found
}

/**
 * The newest imports of CSV files. The server keeps the file of an unfinished import for an hour.
 */
export function importsQuery(bankAccountId: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['imports', bankAccountId],
    queryFn: async ({ signal }) => (await coffer.listImports({ path, signal })).data,
  })
}

/** An import of a CSV file, with its preview. */
export function importQuery(bankAccountId: string, transactionImportId: string) {
  const path = { bankAccountId, transactionImportId }
  return queryOptions({
    queryKey: ['import', bankAccountId, transactionImportId],
    queryFn: async ({ signal }) => (await coffer.getImport({ path, signal })).data,
    refetchInterval: ({ state }) => {
      const isMoving = /pending|processing/.test(state.data?.status ?? '')
      return isMoving ? workingMs : restingMs
    },
  })
}

/**
 * The newest mapping for files with these columns; null without one. Leaves out mappings of which
 * all imports into the bank account were undone. A mapping names at most `max`
 * columns. For a file with more, it cannot be found by the signature of all columns: it is found by
 * its `max` names. A mapping with fewer names belongs to a narrower file of another bank.
 */
export function mappingQuery(
  { bankAccountId, headers, signature }: Pick<Import, 'bankAccountId' | 'headers' | 'signature'>,
  max: number,
) {
  const isWide = headers.length > max
  const query = isWide ? {} : { signature }
  return queryOptions({
    queryKey: ['mapping', bankAccountId, signature],
    queryFn: async () => {
      const undone = await undoneMappings(bankAccountId)
      for await (const one of paginate(coffer.listMappings, { query })) {
        if (undone.has(one.transactionImportMappingId)) continue
        const { headers: named } = one.mapping
        const isEnough = !isWide || named.length === max
        if (isEnough && named.every((name) => headers.includes(name))) return one
      }
      return null
    },
  })
}

/** Returns the IDs of mappings by which the newest imports stored rows, and all were undone. */
async function undoneMappings(bankAccountId: string): Promise<ReadonlySet<string | null>> {
  const query = { limit: pageMax }
  const { data } = await coffer.listImports({ path: { bankAccountId }, query })
  const stored = data.filter(({ status }) => status === 'complete')
  const all = Map.groupBy(stored, (one) => one.transactionImportMappingId)
  const undone = [...all].filter(([, imports]) => imports.every(({ upload }) => upload?.undoneAt))
  return new Set(undone.map(([mappingId]) => mappingId))
}

/** Returns whether a file is queued or being processed. */
export function isWorking({ status }: Pick<Upload, 'status'>): boolean {
  return status === 'pending' || status === 'processing'
}
