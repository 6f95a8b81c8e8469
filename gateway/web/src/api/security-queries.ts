import { paginate } from '@coffer/client'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => Array.fromAsync(paginate(coffer.listSessions)),
})

export const apiKeysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: () => Array.fromAsync(paginate(coffer.listApiKeys)),
})
