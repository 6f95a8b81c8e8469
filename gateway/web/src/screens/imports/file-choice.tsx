import { CofferError } from '@coffer/client'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { takeDropped } from '../../api/dropped-file.ts'
import type { Fault } from '../../api/faults.ts'
import { type Upload, uploadsQuery } from '../../api/import-queries.ts'
import { keepSent } from '../../api/sent-file.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { useBackStep } from '../../shell/opened-form.ts'
import { importWords as words } from '../../words/imports.ts'
import { FilePreview } from './file-preview.tsx'
import styles from './imports.module.css'
import type { Previewed } from './previewed.ts'
import type { Choices } from './read-choices.tsx'
import type { Balancing } from './stored/balance-note.tsx'
import { Stored } from './stored/stored.tsx'
import { countsOf } from './upload-row.tsx'

/** Phones, which cannot drag and drop files. */
const phone = matchMedia('(hover: none) and (pointer: coarse)')

/** Takes a file that is chosen or dropped. A CSV file leads to the form of its columns. */
export function FileChoice({ bankAccountId }: { bankAccountId: string }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const [stored, setStored] = useState<StoredFile | null>(null)
  const { read, isSending, fault, previewed, setPreviewed } = useReading(bankAccountId)
  const end = useBackStep(previewed !== null, () => setPreviewed(null))
  const take = (file: File | undefined) => {
    if (file === undefined || isSending) return
    setPreviewed(null)
    setStored(null)
    read(file, {})
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
        <p className={styles.lead}>{phone.matches ? words.chooseOne : words.drop}</p>
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
        <FilePreview
          key={JSON.stringify([previewed.data.name, previewed.choices])}
          {...{ bankAccountId, previewed }}
          onRead={(choices) => read(previewed.data, choices)}
          isReading={isSending}
          onStored={(upload, preview) => {
            setPreviewed(null)
            setStored({ upload, preview })
          }}
          onEnd={end}
        />
      )}
      {stored && <StoredUpload {...stored} />}
    </>
  )
}

interface StoredFile {
  upload: Upload
  preview: Balancing
}

/** The result of an import once its rows are stored; until then, the list shows its progress. */
function StoredUpload({ upload, preview }: StoredFile) {
  const { bankAccountId, transactionUploadId } = upload
  const { data: uploads = [] } = useQuery(uploadsQuery(bankAccountId))
  const found = uploads.find((one) => one.transactionUploadId === transactionUploadId)
  if (found?.status !== 'complete' || found.undoneAt !== null) return null
  return <Stored {...{ bankAccountId, transactionUploadId, preview }} counts={countsOf(found)} />
}

/** Returns the previewed file, and a function to read a file. CSV files lead to the column form. */
function useReading(bankAccountId: string) {
  const navigate = useNavigate()
  const [previewed, setPreviewed] = useState<Previewed | null>(null)
  const { send, isSending, fault } = useChange((file: { data: File; choices: Choices }) =>
    readFile(bankAccountId, file),
  )
  const read = (data: File, choices: Choices) =>
    send({ data, choices }, (found) => {
      if (typeof found !== 'string') return setPreviewed(found)
      const params = { transactionImportId: found }
      const search = { account: bankAccountId }
      void navigate({ to: '/imports/$transactionImportId', params, search })
    })
  const isOfOther = previewed !== null && !isOf(previewed.upload, bankAccountId)
  const readLate = useEffectEvent(() => previewed && read(previewed.data, previewed.choices))
  // A preview is valid for one bank account: the file is read again if another one is chosen.
  useEffect(() => {
    if (isOfOther) readLate()
  }, [isOfOther])
  return { read, isSending, fault, previewed: isOfOther ? null : previewed, setPreviewed }
}

/** Returns whether a preview is valid for a bank account, or is of a file of several accounts. */
function isOf({ asks, bankAccountId }: Upload, chosen: string): boolean {
  return asks === 'statement' || bankAccountId === chosen
}

const accepted =
  '.ofx,.qfx,.qbo,.qif,.xml,.sta,.940,.942,.mt940,.mt942,.csv,.xlsx,.ods,.xls,.zip,.txt'
/** Names of tabular files, whose columns the user maps. */
const tables = /\.(csv|xlsx|ods|xls)$/i

/** Turns a fault of the field `data` into one of the whole request: the form has no such field. */
function ofFile(fault: Fault): Fault {
  const { data, ...problems } = fault.problems
  return data === undefined ? fault : { ...fault, text: data, problems }
}

/** Creates an import of a tabular file and returns its ID; previews any other file. */
async function readFile(
  bankAccountId: string,
  { data, choices }: { data: File; choices: Choices },
): Promise<string | Previewed> {
  const path = { bankAccountId }
  if (tables.test(data.name)) return sendTable(bankAccountId, data)
  const query = { ...choices, preview: true }
  try {
    const { data: upload } = await coffer.createUpload({ path, body: { data }, query })
    return { data, upload, choices }
  } catch (error) {
    const mayBeTable =
      error instanceof CofferError &&
      error.faults.some(({ code }) => code === 'FILE_NEEDS_MAPPING' || code === 'FILE_KIND')
    if (!mayBeTable || (await isPicture(data))) throw error
    // The content may be a table although the file name does not say so.
    return await sendTable(bankAccountId, data).catch(() => Promise.reject(error))
  }
}

/** First bytes of PNG, JPEG, GIF, RIFF (WebP) and PDF, in Latin-1. */
const pictures = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF|%PDF)/

async function isPicture(data: File): Promise<boolean> {
  const bytes = new Uint8Array(await data.slice(0, 4).arrayBuffer())
  return pictures.test(String.fromCharCode(...bytes))
}

async function sendTable(bankAccountId: string, data: File): Promise<string> {
  const { data: made } = await coffer.createImport({ path: { bankAccountId }, body: { data } })
  keepSent(made.transactionImportId, data)
  return made.transactionImportId
}

function Kinds({ bankAccountId }: { bankAccountId: string }) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { name = '' } = accounts.find((one) => one.bankAccountId === bankAccountId) ?? {}
  return <p className={styles.soft}>{words.kinds({ account: name })}</p>
}
