import { useEffect, useState } from 'react'
import { coffer } from '../../api/client.ts'
import { isWorking, type Upload } from '../../api/import-queries.ts'
import { announceChange } from '../../api/query-client.ts'

export type Progress = Pick<
  Upload,
  | 'status'
  | 'importedCount'
  | 'skippedCount'
  | 'knownCount'
  | 'joinedCount'
  | 'unjoinedCount'
  | 'skipped'
  | 'error'
  | 'codedError'
>

/** Returns the state of an upload, renewed over a socket while the file is read. */
export function useProgress(upload: Upload): Progress {
  const { bankAccountId, transactionUploadId } = upload
  const [frame, setFrame] = useState<Partial<Progress>>({})
  const isOpen = isWorking(upload)
  useEffect(() => {
    if (!isOpen) return
    const stop = new AbortController()
    const path = { bankAccountId, transactionUploadId }
    const watch = async () => {
      for await (const one of coffer.watchUpload({ path, signal: stop.signal })) {
        setFrame(one as Partial<Progress>)
      }
      setFrame({})
      await announceChange()
    }
    // Without the socket, the list is asked for again until the file is read.
    watch().catch(() => null)
    return () => stop.abort()
  }, [bankAccountId, transactionUploadId, isOpen])
  return isOpen ? { ...upload, ...frame } : upload
}
