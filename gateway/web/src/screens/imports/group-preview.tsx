import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { FileStatement, Upload, UploadGroup } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { answersOf } from './asked-choice.tsx'
import { Misfits } from './fit/misfits.tsx'
import styles from './imports.module.css'
import { JoinOffers, joinsOf, movedBy } from './join-offers.tsx'
import { PreviewRows } from './preview-rows.tsx'
import { countsOf } from './previewed.ts'
import { type Choices, ReadChoices } from './read-choices.tsx'
import { SkippedRows } from './skipped-rows.tsx'
import { BalanceNote, effectOn } from './stored/balance-note.tsx'
import { sameRows } from './stored/same-rows.ts'

/** Choices that apply to all accounts of a file. */
export type GroupChoices = Omit<Choices, 'statement' | 'delimiter'>

interface Reading {
  /** Reads the file again with other choices. */
  onRead: (choices: GroupChoices) => void
  isReading: boolean
}

interface Props extends Reading {
  data: File
  /** The preview of each chosen account. */
  group: UploadGroup
  choices: GroupChoices
  onBack: () => void
  onEnd: () => void
}

type Part = FileStatement & { upload: Upload }

/**
 * Preview of the chosen accounts of a file: for each, the rows to store and the rows to join with
 * stored transactions.
 */
export function GroupPreview({ data, group, choices, onRead, isReading, onBack, onEnd }: Props) {
  const { timezone } = useReader()
  const [ticked, setTicked] = useState<Record<string, ReadonlySet<string>>>({})
  const ticksOf = ({ statement, upload }: Part) =>
    ticked[statement] ?? sameRows(upload.preview?.joinOffers ?? [], timezone)
  const parts = group.statements.flatMap(({ upload, ...one }) =>
    upload ? [{ ...one, upload }] : [],
  )
  const statements = parts.flatMap((part) => {
    const { statement, upload } = part
    const { bankAccountId, preview } = upload
    if (!preview) return []
    const joins = joinsOf(preview.joinOffers, ticksOf(part))
    return [{ statement, bankAccountId, joins }]
  })
  const { send, isSending, fault } = useChange(() =>
    coffer.createUploadGroup({ body: { data, statements }, query: choices }),
  )
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      {parts.map((one) => (
        <AccountPreview
          key={one.statement}
          part={one}
          ticked={ticksOf(one)}
          onTick={(rows) => setTicked((now) => ({ ...now, [one.statement]: rows }))}
          onRead={(made) => onRead({ ...choices, ...made })}
          isReading={isReading}
        />
      ))}
      <div className={rows.toolbar}>
        {statements.length > 0 && (
          <Button kind="primary" isBusy={isSending} onClick={() => send(undefined, onEnd)}>
            {words.storeAccounts({ count: statements.length })}
          </Button>
        )}
        <Button onClick={onBack}>{words.toAccounts}</Button>
        <Button onClick={onEnd}>{words.cancel}</Button>
      </div>
    </>
  )
}

interface AccountProps extends Reading {
  part: Part
  ticked: ReadonlySet<string>
  onTick: (ticked: ReadonlySet<string>) => void
}

/** One account of a file: its counts, choices and rows, or the reason why it is unreadable. */
function AccountPreview({ part, ticked, onTick, onRead, isReading }: AccountProps) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const title = useId()
  const { bankAccountId, preview, error, codedError, note, codedNote, skipped } = part.upload
  const { name = '' } = accounts.find((one) => one.bankAccountId === bankAccountId) ?? {}
  const joins = joinsOf(preview?.joinOffers ?? [], ticked)
  const of = words.ofAccount({ statement: nameOf(part), account: name })
  return (
    <section className={styles.account} aria-labelledby={title}>
      <h3 id={title}>{of}</h3>
      {preview && <Misfits bankAccountId={bankAccountId} misfits={preview.misfits} hasChoice />}
      {preview && <p>{countsOf(preview, joins.length)}</p>}
      {preview && (
        <BalanceNote
          bankAccountId={bankAccountId}
          stated={preview.currentBalance}
          asOf={preview.balancesAsOf}
          is={effectOn(preview)}
          moved={movedBy(preview.joinOffers, ticked)}
        />
      )}
      {error && <p role="alert">{wordsOf(error, codedError)}</p>}
      {note && <p className={rows.soft}>{wordsOf(note, codedNote)}</p>}
      {preview && <ReadChoices made={preview.choices ?? []} onChange={onRead} />}
      <SkippedRows skipped={preview?.skipped ?? skipped} />
      {answersOf(part.upload).map(({ label, body: { statement: _, joins: __, ...body } }) => (
        <Button key={label} isBusy={isReading} onClick={() => onRead(body)}>
          {label}
        </Button>
      ))}
      {preview && (
        <JoinOffers
          {...{ bankAccountId, of, ticked, onTick }}
          offers={preview.joinOffers}
          count={preview.joinOfferCount}
        />
      )}
      {preview && <PreviewRows {...{ bankAccountId, of, joins }} rows={preview.rows} />}
    </section>
  )
}

/** Returns the label of an account in a file: its number or name, and its kind. */
export function nameOf({ statement, number, kind }: FileStatement): string {
  const hasKind = kind === null || statement.includes(kind)
  return hasKind ? statement || number : `${statement} (${kind})`
}
