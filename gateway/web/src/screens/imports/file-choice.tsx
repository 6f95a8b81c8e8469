import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { takeDropped } from '../../api/dropped-file.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { importWords as words } from '../../words/imports.ts'
import styles from './imports.module.css'

/** A file by choice or by drop. A CSV file leads on to the meaning of its columns. */
export function FileChoice({ bankAccountId }: { bankAccountId: string }) {
  const navigate = useNavigate()
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const path = { bankAccountId }
  const { send, isSending, fault } = useChange(async (data: File) => {
    const isCsv = data.name.toLowerCase().endsWith('.csv')
    if (!isCsv) return (await coffer.createUpload({ path, body: { data } })) && null
    return (await coffer.createImport({ path, body: { data } })).data.transactionImportId
  })
  const take = (file: File | undefined) => {
    if (file === undefined || isSending) return
    send(file, (transactionImportId) => {
      if (transactionImportId === null) return
      const params = { transactionImportId }
      void navigate({
        to: '/imports/$transactionImportId',
        params,
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
      {fault && <FaultBanner fault={fault} />}
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
        <p className={styles.soft}>{words.kinds}</p>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={words.choose}
          accept=".ofx,.qfx,.qbo,.qif,.xml,.sta,.940,.942,.mt940,.mt942,.csv,.txt"
          onChange={(event) => {
            take(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <Button kind="primary" isBusy={isSending} onClick={() => input.current?.click()}>
          {words.choose}
        </Button>
      </section>
    </>
  )
}
