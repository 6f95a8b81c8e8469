import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Upload, uploadQuery } from '../../../api/import-queries.ts'
import { SkippedRows } from '../skipped-rows.tsx'

/** Skipped rows of an import. Fetched when opened, because lists have only their counts. */
export function LeftOutRows({ upload, skipped }: { upload: Upload; skipped: Upload['skipped'] }) {
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({ ...uploadQuery(upload), enabled: isOpen })
  return <SkippedRows skipped={data?.skipped ?? skipped} onOpen={() => setOpen(true)} />
}
