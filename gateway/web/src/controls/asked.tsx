import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { faultOf } from '../api/faults.ts'
import { FaultBanner } from './form.tsx'
import { Skeleton } from './screen.tsx'

interface Props<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  /** Lines of the skeleton. */
  lines?: number
}

/** Shows an answer: a skeleton before it has come, and its fault in words if it does not come. */
export function Asked<Data>({ query, children, lines = 3 }: Props<Data>) {
  const { data, error, refetch } = query
  const fault = faultOf(error)
  if (data !== undefined) return children(data)
  if (fault) return <FaultBanner fault={fault} again={() => void refetch()} />
  return <Skeleton lines={lines} />
}
