import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Upload } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { useAccountNames } from '../../shell/distinct-names.ts'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { Misfits } from './fit/misfits.tsx'
import { JoinOffers, movedBy, useTicks } from './join-offers.tsx'
import { PreviewRows } from './preview-rows.tsx'
import { countsOf, type PreviewProps, storeText } from './previewed.ts'
import { ReadChoices } from './read-choices.tsx'
import { SkippedRows } from './skipped-rows.tsx'
import { BalanceNote, effectOn } from './stored/balance-note.tsx'

/** Preview of an import: the rows to store, and checkboxes for rows that may be stored already. */
export function UploadPreview({ bankAccountId, previewed, onRead, onStored, onEnd }: PreviewProps) {
  const { data, upload, choices: query } = previewed
  const { preview, note, codedNote } = upload
  const account = useAccountNames().get(bankAccountId) ?? ''
  const offers = preview?.joinOffers ?? []
  const count = preview?.joinOfferCount ?? 0
  const { ticked, setTicked, joins } = useTicks(offers)
  const { send, isSending, fault } = useChange(() => {
    const body = { data, joins }
    return coffer.createUpload({ path: { bankAccountId }, body, query })
  })
  if (!preview) return null
  const store = (made: { data: Upload }) => onStored(made.data, preview)
  const { newCount, skipped, choices = [] } = preview
  return (
    <Card title={data.name}>
      {fault && <FaultBanner fault={fault} />}
      <Misfits bankAccountId={bankAccountId} misfits={preview.misfits} />
      <p>{countsOf(preview, joins.length)}</p>
      <BalanceNote
        bankAccountId={bankAccountId}
        stated={preview.currentBalance}
        asOf={preview.balancesAsOf}
        is={effectOn(preview)}
        moved={movedBy(offers, ticked)}
      />
      {note && <p className={rows.soft}>{wordsOf(note, codedNote)}</p>}
      <ReadChoices made={choices} onChange={(one) => onRead({ ...query, ...one })} />
      <SkippedRows skipped={skipped} />
      <JoinOffers {...{ bankAccountId, offers, count, ticked }} onTick={setTicked} />
      <div className={rows.toolbar}>
        <Button kind="primary" isBusy={isSending} onClick={() => send(undefined, store)}>
          {storeText({ newCount, joined: joins.length, account })}
        </Button>
        <Button onClick={onEnd}>{words.cancel}</Button>
      </div>
      <PreviewRows {...{ bankAccountId, joins }} rows={preview.rows} />
    </Card>
  )
}
