import { CofferError } from '@coffer/client'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { faultOf } from '../../api/faults.ts'
import { fetchRevalidated } from '../../api/revalidation.ts'
import { basePath } from '../../base-path.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { saveFile } from '../../controls/texts/saved-file.ts'
import { withAnswer } from '../../offline/offline-error.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { settingsWords as words } from '../../words/settings.ts'

/** Downloads all data of the account, and shows the size received so far. */
export function ExportAccount() {
  const { locale } = useReader()
  const [bytes, setBytes] = useState(0)
  const abort = useRef<AbortController>(null)
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: async () => {
      setBytes(0)
      abort.current = new AbortController()
      const { signal } = abort.current
      saveFile(
        await withAnswer({ signal }, () => readExport(setBytes, signal)),
        'coffer-export.json',
      )
    },
  })
  const fault = abort.current?.signal.aborted ? null : faultOf(error)
  const megabytes = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'megabyte',
    maximumFractionDigits: 1,
  })
  const size = megabytes.format(bytes / 1_000_000)
  return (
    <Card title={words.export}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.exportText}</p>
      <div className={rows.toolbar}>
        <Button isBusy={isPending} onClick={() => mutate()}>
          {words.exportDo}
        </Button>
        {isPending && (
          <Button
            kind="quiet"
            onClick={() => {
              abort.current?.abort()
              reset()
            }}
          >
            {words.cancel}
          </Button>
        )}
        {isPending && <progress aria-label={words.export} />}
        <span role="status">
          {isPending && words.exported({ size })}
          {isSuccess && words.exportDone({ size })}
        </span>
      </div>
    </Card>
  )
}

/** Reads the export and reports the received bytes. Throws an error if it is truncated. */
async function readExport(note: (bytes: number) => void, signal: AbortSignal): Promise<Blob> {
  const url = new URL('api/users/me/export', new URL(basePath, location.href))
  const response = await fetchRevalidated(new Request(url, { signal }))
  const { ok, body } = response
  if (!ok || body === null) throw new CofferError(response, await response.json().catch(() => null))
  const parts: Uint8Array<ArrayBuffer>[] = []
  const reader = body.getReader()
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) break
    parts.push(value)
    length += value.length
    note(length)
  }
  const file = new Blob(parts, { type: 'application/json' })
  const end = await file.slice(-64).text()
  if (!/"complete":\s*true\s*\}\s*$/.test(end)) throw new Error('the export was cut off')
  return file
}
