import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { takeDropped } from '../../api/dropped-file.ts'
import type { Fault } from '../../api/faults.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { importWords as words } from '../../words/imports.ts'
import styles from './imports.module.css'
import { type Previewed, UploadPreview } from './upload-preview.tsx'

/** A file by choice or by drop. A CSV file leads on to the meaning of its columns. */
export function FileChoice({ bankAccountId }: { bankAccountId: string }) {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [previewed, setPreviewed] = useState<Previewed | null>(null)
  const { send, isSending, fault } = useChange(async (data: File) => {
    const { transactionImportId = null, preview } = await sendFile(bankAccountId, data)
    if (preview) setPreviewed({ data, preview })
    return transactionImportId
  })
  const take = (file: File | undefined) => {
    if (file === undefined || isSending) return
    setPreviewed(null)
    send(file, (transactionImportId) => {
      if (transactionImportId === null) return
      void navigate({
        to: '/imports/$transactionImportId',
        params: { transactionImportId },
        search: { account: bankAccountId },
      })
    })
  }
  const takeLate = useEffectEvent(take)
  useEffect(() => takeDropped((file) => takeLate(file)), [])
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files[0])
  }
  return (
    <>
      {fault && <FaultBanner fault={ofFile(fault)} />}
      <section
        aria-label={words.file}
        className={`${styles.drop} ${isOver ? styles.over : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileUp size={28} aria-hidden />
        <p className={styles.lead}>{words.drop}</p>
        <Kinds bankAccountId={bankAccountId} />
        <input
          ref={input}
          type="file"
          hidden
          aria-label={words.choose}
          accept={accepted}
          onChange={(event) => {
            take(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <Button kind="primary" isBusy={isSending} onClick={() => input.current?.click()}>
          {words.choose}
        </Button>
      </section>
      {previewed && (
        <UploadPreview
          key={previewed.data.name}
          {...{ bankAccountId, previewed }}
          onEnd={() => setPreviewed(null)}
        />
      )}
    </>
  )
}

const accepted =
  '.ofx,.qfx,.qbo,.qif,.xml,.sta,.940,.942,.mt940,.mt942,.csv,.xlsx,.ods,.xls,.zip,.txt'
/** Names of files with columns, which a person has to name. */
const tables = /\.(csv|xlsx|ods|xls)$/i

/** Returns a fault whose only field is the file as one of the whole. */
function ofFile(fault: Fault): Fault {
  const { data, ...problems } = fault.problems
  return data === undefined ? fault : { ...fault, text: data, problems }
}

type Sent = { transactionImportId?: string; preview?: Previewed['preview'] }

/** Sends a file. Returns its preview instead of storing it if rows may be stored already. */
async function sendFile(bankAccountId: string, data: File): Promise<Sent> {
  const file = { path: { bankAccountId }, body: { data } }
  if (tables.test(data.name)) {
    const { transactionImportId } = (await coffer.createImport(file)).data
    return { transactionImportId }
  }
  const { preview } = (await coffer.createUpload({ ...file, query: { preview: true } })).data
  if (preview?.joinOffers.length) return { preview }
  // A file that would be refused is sent too: the list shows why, and what it asks.
  await coffer.createUpload(file)
  return {}
}

function Kinds({ bankAccountId }: { bankAccountId: string }) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { name = '' } = accounts.find((one) => one.bankAccountId === bankAccountId) ?? {}
  return <p className={styles.soft}>{words.kinds(name)}</p>
}
