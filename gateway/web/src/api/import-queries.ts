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

/** Files that were imported, newest first; asked for often while one is read. */
export function uploadsQuery(bankAccountId: string) {
  const path = { bankAccountId }
  return queryOptions({
    queryKey: ['uploads', bankAccountId],
    queryFn: async ({ signal }) => (await coffer.listUploads({ path, signal })).data,
    refetchInterval: ({ state }) => (state.data?.some(isWorking) ? workingMs : restingMs),
  })
}

/** An import with the first rows that it has left out, which do not change. */
export function uploadQuery({ bankAccountId, transactionUploadId }: Upload) {
  const path = { bankAccountId, transactionUploadId }
  return queryOptions({
    queryKey: ['upload', transactionUploadId],
    queryFn: async ({ signal }) => (await coffer.getUpload({ path, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
}

/** Files that were imported into several bank accounts, newest first. */
export const uploadGroupsQuery = queryOptions({
  queryKey: ['upload-groups'],
  queryFn: async ({ signal }) => (await coffer.listUploadGroups({ signal })).data,
  refetchInterval: ({ state }) => {
    return state.data?.some(({ status }) => status === 'processing') ? workingMs : restingMs
  },
})

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

/** The newest mapping for files with these columns; null without one. */
export function mappingQuery(signature: string) {
  return queryOptions({
    queryKey: ['mapping', signature],
    queryFn: async () => {
      for await (const one of paginate(coffer.listMappings, { query: { signature } })) return one
      return null
    },
  })
}

/** Returns whether a file still waits or is read. */
export function isWorking({ status }: Pick<Upload, 'status'>): boolean {
  return status === 'pending' || status === 'processing'
}
