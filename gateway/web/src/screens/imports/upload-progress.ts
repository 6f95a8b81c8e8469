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

/** Returns the state of an upload, updated over a WebSocket while the import runs. */
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
    // If the WebSocket fails, the list is polled until the import ends.
    void watch()
      .catch(() => null)
      .finally(() => setFrame({}))
    // Closes the WebSocket only after it has opened: browsers log an error for closing it earlier.
    return () => void opened.promise.then(() => stop.abort())
  }, [bankAccountId, transactionUploadId, isOpen])
  return isOpen ? { ...upload, ...frame } : upload
}
