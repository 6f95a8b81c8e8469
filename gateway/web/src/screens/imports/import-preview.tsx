import { Link } from '@tanstack/react-router'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Import } from '../../api/import-queries.ts'
import { findSent } from '../../api/sent-file.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { useAccountNames } from '../../shell/distinct-names.ts'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { BackToColumns, type WayBack } from './back-to-columns.tsx'
import { Misfits } from './fit/misfits.tsx'
import { JoinOffers, movedBy, useTicks } from './join-offers.tsx'
import { PreviewRows } from './preview-rows.tsx'
import { countsOf, storeText } from './previewed.ts'
import { useReadAgain } from './read-again.ts'
import { ReadChoices } from './read-choices.tsx'
import { SkippedRows } from './skipped-rows.tsx'
import { BalanceNote, effectOn } from './stored/balance-note.tsx'

/** The first rows of a file as transactions, and the skipped rows with reasons. */
export function ImportPreview({ found, way }: { found: Import; way: WayBack }) {
  const { bankAccountId, transactionImportId, preview } = found
  const path = { bankAccountId, transactionImportId }
  const account = useAccountNames().get(bankAccountId) ?? ''
  const offers = preview?.joinOffers ?? []
  const count = preview?.joinOfferCount ?? 0
  const { ticked, setTicked, joins } = useTicks(offers)
  const { send, isSending, fault } = useChange(() =>
    coffer.updateImport({ path, body: { status: 'pending-processing', joins } }),
  )
  if (preview === null) return null
  const { newCount, skipped, note, codedNote } = preview
  return (
    <Card title={words.previewTitle}>
      {fault && <FaultBanner fault={fault} />}
      <Misfits
        bankAccountId={bankAccountId}
        misfits={preview.misfits}
        again={findSent(transactionImportId)}
      />
      <p>{countsOf(preview, joins.length)}</p>
      <BalanceNote
        bankAccountId={bankAccountId}
        stated={preview.currentBalance}
        asOf={preview.balancesAsOf}
        is={effectOn(preview)}
        moved={movedBy(offers, ticked)}
      />
      <MinusChoice found={found} />
      {note && <p className={rows.soft}>{wordsOf(note, codedNote)}</p>}
      <SkippedRows skipped={skipped} />
      <JoinOffers {...{ bankAccountId, offers, count, ticked }} onTick={setTicked} />
      <div className={rows.toolbar}>
        <Button kind="primary" isBusy={isSending} onClick={() => send(undefined)}>
          {storeText({ newCount, joined: joins.length, account })}
        </Button>
        <BackToColumns {...way} />
        <Link to="/imports" search={{ account: bankAccountId }}>
          {words.again}
        </Link>
      </div>
      <PreviewRows {...{ bankAccountId, joins }} rows={preview.rows} />
    </Card>
  )
}

/** Shows how a minus in debits and credits is interpreted, and lets the user change that. */
function MinusChoice({ found }: { found: Import }) {
  const { send, fault } = useReadAgain(found)
  const { minusReverses = null, reasons = [] } = found.reading ?? {}
  const choice = 'minusReverses'
  const { reason = '', codedReason } = reasons.find((one) => one.choice === choice) ?? {}
  const value = String(minusReverses)
  const made = minusReverses === null ? [] : [{ choice, value, reason, codedReason }]
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <ReadChoices made={made} onChange={send} />
    </>
  )
}
