import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { ArrowLeftRight, LayoutGrid, Plus, Table2 } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { type Spending, schedulesQuery, spendingQuery } from '../../api/budget-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import buttons from '../../controls/button.module.css'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Empty, Screen } from '../../controls/screen.tsx'
import { useIsNarrow } from '../../controls/tables/use-narrow.ts'
import { setPreferences, usePreferences } from '../../preferences/preferences.ts'
import { useChosenAccountId, useIsDebt } from '../../shell/chosen-account.ts'
import { useOpenedForm } from '../../shell/opened-form.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { EnvelopeCard } from './envelope-card.tsx'
import { EnvelopeForm } from './envelope-form.tsx'
import { EnvelopeTable } from './envelope-table.tsx'
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
  const [isCreating, setCreating] = useOpenedForm('envelope')
  const [isMoving, setMoving] = useOpenedForm('move')
  const [move, setMove] = useState<Partial<Move> | null>(null)
  const moved = move ?? (isMoving ? {} : null)
  const endMove = () => (move ? setMove(null) : setMoving(false))
  const isOfDebt = useIsDebt(bankAccountId)
  const hasSchedules = (schedules?.length ?? 0) > 0
  const isTable = useIsTable()
  const actions = (
    <>
      {(spending.data?.length ?? 0) > 0 && <ViewChoice />}
      {(spending.data?.length ?? 0) > 0 && (
        <Button onClick={() => setMove({})}>
          <ArrowLeftRight size={18} aria-hidden />
          {words.move}
        </Button>
      )}
      {hasSchedules && (
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus size={18} aria-hidden />
          {words.create}
        </Button>
      )}
    </>
  )
  return (
    <Screen title={words.title} actions={actions} help="envelopes">
      <Asked query={spending} lines={8}>
        {(all) => (
          <>
            {all.length === 0 && (
              <Nothing hasSchedules={schedules?.length !== 0} isOfDebt={isOfDebt} />
            )}
            {all.length > 0 && (
              <FreeCard bankAccountId={bankAccountId} isAmongCards={!isTable} onMove={setMove} />
            )}
            <All bankAccountId={bankAccountId} all={all} onMove={setMove} />
            {hasSchedules && !isOfDebt && (
              <p>
                <Link
                  className={buttons.button}
                  to="/setup/plan"
                  search={{ account: bankAccountId }}
                >
                  {words.proposals}
                </Link>
              </p>
            )}
          </>
        )}
      </Asked>
      {isCreating && hasSchedules && (
        <EnvelopeForm bankAccountId={bankAccountId} onClose={() => setCreating(false)} />
      )}
      {moved && spending.data && (
        <MoveMoney bankAccountId={bankAccountId} {...moved} onClose={endMove} />
      )}
    </Screen>
  )
}

/** Empty state: asks for a payday first, because an envelope needs one. */
function Nothing({ hasSchedules, isOfDebt }: { hasSchedules: boolean; isOfDebt: boolean }) {
  if (isOfDebt) return <Empty>{words.noneOfDebt}</Empty>
  if (hasSchedules) return <Empty>{words.none}</Empty>
  const action = (
    <Link to="/schedules" className={rows.action}>
      {words.toSchedules}
    </Link>
  )
  return (
    <Empty action={action}>
      {words.none} {words.noSchedule}
    </Empty>
  )
}

/**
 * Returns whether the user has chosen the table. Phones show cards only, because a table would be
 * too wide.
 */
function useIsTable(): boolean {
  const isNarrow = useIsNarrow()
  return usePreferences().envelopesAs === 'table' && !isNarrow
}

function ViewChoice() {
  const isTable = useIsTable()
  if (useIsNarrow()) return null
  const Icon = isTable ? LayoutGrid : Table2
  return (
    <Button onClick={() => setPreferences({ envelopesAs: isTable ? 'cards' : 'table' })}>
      <Icon size={18} aria-hidden />
      {isTable ? words.asCards : words.asTable}
    </Button>
  )
}

interface AllProps {
  bankAccountId: string
  all: Spending[]
  onMove: (move: Move) => void
}

function All({ bankAccountId, all, onMove }: AllProps) {
  const spending = all.toSorted((a, b) => a.nextRecurrence.localeCompare(b.nextRecurrence))
  if (useIsTable() && all.length > 0) {
    return <EnvelopeTable bankAccountId={bankAccountId} spending={spending} />
  }
  return (
    <>
      <Kind title={words.expenses} all={spending} kind="expense" onMove={onMove} />
      <Kind title={words.goals} all={spending} kind="goal" onMove={onMove} />
    </>
  )
}

interface KindProps {
  title: string
  all: Spending[]
  kind: Spending['spendingType']
  onMove: (move: Move) => void
}

function Kind({ title, all, kind, onMove }: KindProps) {
  const own = all.filter(({ spendingType }) => spendingType === kind)
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
