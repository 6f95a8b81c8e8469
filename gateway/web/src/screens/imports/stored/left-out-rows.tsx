import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Upload, uploadQuery } from '../../../api/import-queries.ts'
import { SkippedRows } from '../skipped-rows.tsx'

/** Rows that an import has left out: asked for once they are opened, as lists have counts alone. */
export function LeftOutRows({ upload, skipped }: { upload: Upload; skipped: Upload['skipped'] }) {
  const [isOpen, setOpen] = useState(false)
  const { data } = useQuery({ ...uploadQuery(upload), enabled: isOpen })
  return <SkippedRows skipped={data?.skipped ?? skipped} onOpen={() => setOpen(true)} />
}
