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
    const opened = Promise.withResolvers<void>()
    const path = { bankAccountId, transactionUploadId }
    const watching = { path, signal: stop.signal, onOpen: opened.resolve }
    const watch = async () => {
      for await (const one of coffer.watchUpload(watching)) setFrame(one as Partial<Progress>)
      await announceChange()
    }
    // Without the socket, the list is asked for again until the file is read.
    void watch()
      .catch(() => null)
      .finally(() => setFrame({}))
    // The list may show first that a file is read. Browsers log a socket that is closed too early.
    return () => void opened.promise.then(() => stop.abort())
  }, [bankAccountId, transactionUploadId, isOpen])
  return isOpen ? { ...upload, ...frame } : upload
}
