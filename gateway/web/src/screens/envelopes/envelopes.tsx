import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { ArrowLeftRight, Plus } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { type Spending, schedulesQuery, spendingQuery } from '../../api/budget-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { EnvelopeCard } from './envelope-card.tsx'
import { EnvelopeForm } from './envelope-form.tsx'
import styles from './envelopes.module.css'
import { FreeCard } from './free-card.tsx'
import type { Move } from './money-drag.ts'
import { MoveMoney } from './move-money.tsx'

/** The envelopes of the chosen bank account: expenses, then goals. */
export function Envelopes() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Asked query={accounts} lines={10}>
      {() => (chosen === null ? <Navigate to="/setup" /> : <List bankAccountId={chosen} />)}
    </Asked>
  )
}

function List({ bankAccountId }: { bankAccountId: string }) {
  const spending = useQuery(spendingQuery(bankAccountId))
  const { data: schedules } = useQuery(schedulesQuery(bankAccountId))
  const [open, setOpen] = useState<'create' | null>(null)
  const [move, setMove] = useState<Partial<Move> | null>(null)
  const close = () => setOpen(null)
  const hasSchedules = (schedules?.length ?? 0) > 0
  const actions = (
    <>
      {(spending.data?.length ?? 0) > 0 && (
        <Button onClick={() => setMove({})}>
          <ArrowLeftRight size={18} aria-hidden />
          {words.move}
        </Button>
      )}
      {hasSchedules && (
        <Button kind="primary" onClick={() => setOpen('create')}>
          <Plus size={18} aria-hidden />
          {words.create}
        </Button>
      )}
    </>
  )
  return (
    <Screen title={words.title} actions={actions}>
      {schedules?.length === 0 && (
        <p>
          {words.noSchedule} <Link to="/schedules">{words.toSchedules}</Link>
        </p>
      )}
      <Asked query={spending} lines={8}>
        {(all) => (
          <>
            {all.length === 0 && <p>{words.none}</p>}
            {all.length > 0 && <FreeCard bankAccountId={bankAccountId} onMove={setMove} />}
            <Kind title={words.expenses} all={all} kind="expense" onMove={setMove} />
            <Kind title={words.goals} all={all} kind="goal" onMove={setMove} />
          </>
        )}
      </Asked>
      {open === 'create' && <EnvelopeForm bankAccountId={bankAccountId} onClose={close} />}
      {move && <MoveMoney bankAccountId={bankAccountId} {...move} onClose={() => setMove(null)} />}
    </Screen>
  )
}

interface KindProps {
  title: string
  all: Spending[]
  kind: Spending['spendingType']
  onMove: (move: Move) => void
}

function Kind({ title, all, kind, onMove }: KindProps) {
  const own = all
    .filter(({ spendingType }) => spendingType === kind)
    .sort((a, b) => a.nextRecurrence.localeCompare(b.nextRecurrence))
  if (own.length === 0) return null
  return (
    <section className={styles.kind} aria-label={title}>
      <h2>{title}</h2>
      <ul className={styles.cards}>
        {own.map((one) => (
          <EnvelopeCard key={one.spendingId} spending={one} onMove={onMove} />
        ))}
      </ul>
    </section>
  )
}
