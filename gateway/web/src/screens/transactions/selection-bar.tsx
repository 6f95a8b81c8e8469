import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { spendingQuery, type Transaction } from '../../api/budget-queries.ts'
import { type BulkChange, bulkMax, changeMany, type Refusal } from '../../api/bulk-changes.ts'
import { useChange } from '../../api/changes.ts'
import { noteOfMany } from '../../controls/assignments/assignments.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { useIsManual, useReader, useRest } from '../../shell/chosen-account.ts'
import { bulkWords as words } from '../../words/bulk.ts'
import { forecastWords } from '../../words/forecast.ts'
import { transactionWords } from '../../words/transactions.ts'
import { RemoveMany } from './remove-many.tsx'
import type { Selection } from './selection.ts'
import { TagMany } from './tag-many.tsx'
import styles from './transactions.module.css'

interface Props {
  bankAccountId: string
  selection: Selection
  loaded: Transaction[]
  /** Whether the list shows deleted transactions. */
  areDeleted: boolean
  /** Element beside the filters that contains the button "select", by a portal. */
  slot: HTMLElement | null
}

/**
 * Starts a selection, and changes the selected transactions. Refused transactions are listed and
 * stay selected.
 */
export function SelectionBar({ bankAccountId, selection, loaded, areDeleted, slot }: Props) {
  const { chosen, choose, end } = selection
  const [refused, setRefused] = useState<Refusal[]>([])
  const reader = useReader()
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const { send, isSending, fault, reset } = useChange(async (change: BulkChange) => {
    const envelope = spending.find(({ spendingId }) => spendingId === change.set?.spendingId)
    const all = [...(chosen ?? [])]
    const concerned = change.correct ? all.filter(([, { isPending }]) => isPending) : all
    return await changeMany(bankAccountId, new Map(concerned), change, (changed) =>
      envelope ? noteOfMany(changed, envelope, reader) : null,
    )
  })
  const isMoved = useRef(false)
  const start = () => {
    isMoved.current = true
    reset()
    setRefused([])
    if (chosen === null) choose([])
    else end()
  }
  /**
   * Ref of the button that starts or ends the selection. A press replaces it by another one
   * elsewhere in the DOM, which then gets the focus.
   */
  const follow = (button: HTMLButtonElement | null) => {
    if (button === null || !isMoved.current) return
    isMoved.current = false
    button.focus({ preventScroll: true })
  }
  const change = (wanted: BulkChange) =>
    send(wanted, (all) => {
      const ids = new Set(all.map(({ transactionId }) => transactionId))
      setRefused(all)
      // After a change of tags all stay selected, because further changes usually follow.
      const isOfTags = wanted.set?.addTags !== undefined || wanted.set?.removeTags !== undefined
      if (isOfTags) return
      choose([...(chosen?.values() ?? [])].filter((one) => ids.has(one.transactionId)))
    })
  const button = (
    <Button key={chosen === null ? 'select' : 'done'} ref={follow} onClick={start}>
      {chosen === null ? words.select : words.done}
    </Button>
  )
  if (chosen === null) return slot && createPortal(button, slot)
  return (
    <section className={styles.bar} aria-label={words.bar} data-on>
      {button}
      <p role="status">
        {(chosen.size < bulkMax ? words.count : words.full)({ count: chosen.size })}
      </p>
      <Button kind="quiet" onClick={() => choose(chosen.size > 0 ? [] : loaded)}>
        {chosen.size > 0 ? words.none : words.all}
      </Button>
      <Acts
        bankAccountId={bankAccountId}
        chosen={[...chosen.values()]}
        areDeleted={areDeleted}
        isSending={isSending}
        change={change}
      />
      {fault && <FaultBanner fault={fault} />}
      {refused.length > 0 && <Refused refused={refused} />}
    </section>
  )
}

interface ActsProps extends Pick<Props, 'bankAccountId' | 'areDeleted'> {
  chosen: Transaction[]
  isSending: boolean
  change: (wanted: BulkChange) => void
}

/** The changes that the selected transactions allow: synced transactions cannot be deleted. */
function Acts({ bankAccountId, chosen, areDeleted, isSending, change }: ActsProps) {
  const isManual = useIsManual(bankAccountId)
  const [isAsked, setAsked] = useState(false)
  const state = { isBusy: isSending, isIdle: chosen.length === 0 }
  const pending = chosen.filter(({ isPending }) => isPending)
  if (areDeleted) {
    return (
      <Button kind="primary" {...state} onClick={() => change({ restore: {} })}>
        {transactionWords.restore}
      </Button>
    )
  }
  return (
    <>
      {isManual && (
        <Button kind="danger" {...state} onClick={() => setAsked(true)}>
          {transactionWords.remove}
        </Button>
      )}
      {isManual && pending.length > 0 && (
        <Button {...state} onClick={() => change({ correct: { isPending: false } })}>
          {words.hasBooked({ count: pending.length })}
        </Button>
      )}
      <Assign bankAccountId={bankAccountId} state={state} change={change} />
      <TagMany state={state} change={change} />
      {isAsked && <RemoveMany chosen={chosen} remove={change} onClose={() => setAsked(false)} />}
    </>
  )
}

interface AssignProps extends Pick<ActsProps, 'bankAccountId' | 'change'> {
  state: { isBusy: boolean; isIdle: boolean }
}

function Assign({ bankAccountId, state, change }: AssignProps) {
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const rest = useRest(bankAccountId)
  const [spendingId, setSpendingId] = useState('')
  return (
    <div className={styles.assign}>
      <select
        aria-label={transactionWords.envelope}
        value={spendingId}
        onChange={(event) => setSpendingId(event.target.value)}
      >
        <option value="">{forecastWords.rests[rest]}</option>
        {spending.map((one) => (
          <option key={one.spendingId} value={one.spendingId}>
            {one.name}
          </option>
        ))}
      </select>
      <Button {...state} onClick={() => change({ set: { spendingId: spendingId || null } })}>
        {words.assign}
      </Button>
    </div>
  )
}

/** The names of refused transactions with the reasons. */
function Refused({ refused }: { refused: Refusal[] }) {
  return (
    <div role="alert" className={styles.refused}>
      <p>{words.refused}</p>
      <ul>
        {refused.map(({ transactionId, name, reason }) => (
          <li key={transactionId}>
            <strong>{name}</strong> {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}
