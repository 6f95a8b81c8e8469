import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Upload } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { importWords as words } from '../../words/imports.ts'
import { JoinOffers, joinsOf } from './join-offers.tsx'
import { SkippedRows } from './skipped-rows.tsx'

/** A file and what its import would do. */
export interface Previewed {
  data: File
  preview: NonNullable<Upload['preview']>
}

interface Props {
  bankAccountId: string
  previewed: Previewed
  onEnd: () => void
}

/** A file with rows that may be stored already: the person ticks these, and stores the others. */
export function UploadPreview({ bankAccountId, previewed: { data, preview }, onEnd }: Props) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const { newCount, duplicateCount, skippedCount, skipped, joinOffers: offers } = preview
  const { send, isSending, fault } = useChange(() => {
    const body = { data, joins: joinsOf(offers, ticked) }
    return coffer.createUpload({ path: { bankAccountId }, body })
  })
  return (
    <Card title={data.name}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.counts(newCount, duplicateCount, skippedCount)}</p>
      <SkippedRows skipped={skipped} />
      <JoinOffers {...{ bankAccountId, offers, ticked }} onTick={setTicked} />
      <div className={rows.toolbar}>
        <Button kind="primary" isBusy={isSending} onClick={() => send(undefined, onEnd)}>
          {words.store(newCount - ticked.size)}
        </Button>
        <Button onClick={onEnd}>{words.cancel}</Button>
      </div>
    </Card>
  )
}
