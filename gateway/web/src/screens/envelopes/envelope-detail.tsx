import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { explanationQuery, type Spending, spendingQuery } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { Button } from '../../controls/button.tsx'
import { AllHistory } from '../../controls/journal/all-history.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Columns, Screen } from '../../controls/screen.tsx'
import { Sentences } from '../../controls/texts/sentences.tsx'
import { dayOf, formatDay } from '../../format/days.ts'
import { useChosenAccountId, useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { faultWords } from '../../words/faults.ts'
import { homeWords } from '../../words/home.ts'
import { Bill } from './bill.tsx'
import { useContributions, useMissing, usePayday } from './contribution.ts'
import { isDueToday } from './due-text.ts'
import { neededOn } from './envelope-entries.ts'
import { EnvelopeForm } from './envelope-form.tsx'
import styles from './envelopes.module.css'
import { MoveMoney } from './move-money.tsx'
import { PaidFromIt } from './paid-from-it.tsx'
import { usePaidLate } from './paid-late.ts'
import { RemoveEnvelope } from './remove-envelope.tsx'

const route = getRouteApi('/frame/envelopes/$spendingId')

/** Details of one envelope. */
export function EnvelopeDetail() {
  const { spendingId } = route.useParams()
  const bankAccountId = useChosenAccountId()
  if (bankAccountId === null) return <Screen title={words.title}>{null}</Screen>
  return <Found bankAccountId={bankAccountId} spendingId={spendingId} />
}

function Found({ bankAccountId, spendingId }: { bankAccountId: string; spendingId: string }) {
  const all = useQuery(spendingQuery(bankAccountId))
  const spending = all.data?.find((one) => one.spendingId === spendingId)
  const back = (
    <Link to="/envelopes" search={{ account: bankAccountId }}>
      {words.back}
    </Link>
  )
  return (
    <Screen
      // Keyed by ID, so that renaming the envelope does not reset an open form.
      key={spending?.spendingId}
      title={spending?.name ?? words.title}
      actions={back}
      help={spending && !hasBill(spending) ? 'envelopes' : 'bills'}
    >
      <Asked query={all} lines={8}>
        {() => (spending ? <Parts spending={spending} /> : <p>{faultWords.notFound}</p>)}
      </Asked>
    </Screen>
  )
}

function Parts({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const explanation = useQuery(explanationQuery(bankAccountId, spendingId))
  const { spendingType } = spending
  return (
    <Columns
      first={
        <>
          <Facts spending={spending} />
          {hasBill(spending) && <Bill spending={spending} />}
          <Card title={words.explanation}>
            <Asked query={explanation}>
              {({ sentences }) => <Sentences sentences={sentences} className={styles.sentences} />}
            </Asked>
          </Card>
        </>
      }
      second={
        <>
          <PaidFromIt spending={spending} />
          <Card title={words.history}>
            <AllHistory
              bankAccountId={bankAccountId}
              spendingId={spendingId}
              manner={manner}
              place={reader}
              // Entries of a goal are of two pots, the money in the envelope and the money spent
              // from it, so each entry names its pot.
              hasPots={spendingType === 'goal'}
            />
          </Card>
        </>
      }
    />
  )
}

function hasBill(spending: Spending): boolean {
  return spending.spendingType === 'expense' && !isEveryday(spending)
}

function Facts({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId, currentAmount, targetAmount, usedAmount } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const contribution = useContributions(bankAccountId)(spending)
  const missing = useMissing(bankAccountId)(spending) ?? 0
  const payday = usePayday(spending)
  const { data: explanation } = useQuery(explanationQuery(bankAccountId, spendingId))
  const due = neededOn(spending, explanation?.due)
  const isToday = isDueToday(spending, reader, usePaidLate([spending])(spending))
  const next = isToday ? reader.today : dayOf(due, reader.timezone)
  const day = isEveryday(spending) ? payday : next
  const [open, setOpen] = useState<'edit' | 'move' | 'remove' | null>(null)
  const close = () => setOpen(null)
  const amounts = [
    [isEveryday(spending) ? words.remains : words.held, currentAmount],
    [words.needed, targetAmount],
    [words.contribution, contribution],
    ...(spending.spendingType === 'goal' ? [[words.used, usedAmount] as const] : []),
  ] as const
  return (
    <Card title={words.kinds[spending.spendingType]}>
      <dl className={rows.facts}>
        {amounts.map(([label, amount]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Amount amount={amount} manner={manner} />
            </dd>
          </div>
        ))}
        {day && (
          <div>
            <dt>{isEveryday(spending) ? homeWords.payday : words.day}</dt>
            <dd>{formatDay(day, reader)}</dd>
          </div>
        )}
      </dl>
      {spending.autoCreateTransaction && <p className={rows.soft}>{words.isAutomatic}</p>}
      <div className={rows.toolbar}>
        <Button kind="primary" onClick={() => setOpen('move')}>
          {words.move}
        </Button>
        <Button onClick={() => setOpen('edit')}>{words.edit}</Button>
        <Button kind="danger" onClick={() => setOpen('remove')}>
          {words.remove}
        </Button>
      </div>
      {open === 'edit' && <EnvelopeForm {...{ bankAccountId, spending, due }} onClose={close} />}
      {open === 'move' && (
        <MoveMoney {...{ bankAccountId, missing }} to={spendingId} onClose={close} />
      )}
      {open === 'remove' && <RemoveEnvelope spending={spending} onClose={close} />}
    </Card>
  )
}
