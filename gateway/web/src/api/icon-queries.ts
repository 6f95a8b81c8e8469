import type { SearchIconResponses } from '@coffer/client/types'
import { queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

/** The brand icon for a name, as a `data:` URL; null without one. */
export function iconQuery(name: string) {
  return queryOptions({
    queryKey: ['icon', name],
    queryFn: async ({ signal }) => {
      // Without an icon, the answer is 204 and has no body.
      const { data } = await coffer.searchIcon({ body: { name }, signal })
      const { svg } = (data ?? {}) as Partial<SearchIconResponses[200]>
      return svg === undefined ? null : `data:image/svg+xml;base64,${svg}`
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })
}
