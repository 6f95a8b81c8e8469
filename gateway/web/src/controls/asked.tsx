import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { faultOf } from '../api/faults.ts'
import { FaultBanner } from './form.tsx'
import { Skeleton } from './screen.tsx'

interface Props<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  /** Number of lines of the skeleton. */
  lines?: number
}

/** Renders the data of a query: a skeleton while it loads, and a text if it fails. */
export function Asked<Data>({ query, children, lines = 3 }: Props<Data>) {
  const { data, error, refetch } = query
  const fault = faultOf(error)
  if (data !== undefined) return children(data)
  if (fault) return <FaultBanner fault={fault} again={() => void refetch()} />
  return <Skeleton lines={lines} />
}
