import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useEffect, useState } from 'react'
import { bankAccountsQuery } from '../api/account-queries.ts'
import { coffer } from '../api/client.ts'
import { Dialog } from '../controls/dialog.tsx'
import fields from '../controls/field.module.css'
import { amountSearchOf, searchedAmount } from '../format/amount-input.ts'
import type { Manner } from '../format/currency.ts'
import { dayOf, formatShortDay } from '../format/days.ts'
import { formatFlow } from '../format/money.ts'
import { usePreferences } from '../preferences/preferences.ts'
import { frameWords, keyWords } from '../words/frame.ts'
import { transactionWords } from '../words/transactions.ts'
import { useChosenAccountId, useManner, useReader } from './chosen-account.ts'
import styles from './palette.module.css'
import { type Entry, useOwnEntries } from './palette-entries.ts'

const foundMax = 8

/**
 * Command palette: searches screens, actions and objects, and transactions of all bank accounts.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const type = (next: string) => {
    setText(next)
    setAt(0)
  }
  const entries = useEntries(text.trim(), type)
  const chosen = entries[Math.min(at, entries.length - 1)]
  useEffect(() => {
    document.getElementById(`palette-${chosen?.key}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen?.key])
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return
    if (!entry.isSearch) onClose()
    entry.act()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt((now) => Math.max(0, Math.min(now + step, entries.length - 1)))
    else if (event.key === 'Enter') choose(chosen)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={frameWords.palette} isOpen onClose={onClose}>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={chosen && `palette-${chosen.key}`}
        aria-label={frameWords.palette}
        placeholder={keyWords.paletteHint}
        className={fields.input}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
      />
      <div id="palette-entries" role="listbox" aria-label={frameWords.palette}>
        {entries.map((entry) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
          <div
            key={entry.key}
            id={`palette-${entry.key}`}
            role="option"
            tabIndex={-1}
            aria-selected={entry === chosen}
            className={styles.entry}
            onClick={() => choose(entry)}
          >
            <span>{entry.text}</span>
            <span className={styles.about}>{entry.about}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={styles.about}>{keyWords.paletteNone}</p>}
    </Dialog>
  )
}

/**
 * Returns the entries for a text: those of `useOwnEntries` at once, transactions once they are
 * loaded. For a whole number, which is searched for in names, the last one searches for the amount.
 */
function useEntries(text: string, type: (next: string) => void): Entry[] {
  const manner = useManner(useChosenAccountId() ?? '')
  const entries = [...useOwnEntries(text), ...useFound(text, manner)]
  const offered = amountSearchOf(text, manner)
  if (offered === null) return entries
  const entry = { key: 'amount', text: transactionWords.searchAmount({ amount: offered }) }
  return [
    ...entries,
    { ...entry, about: keyWords.action, isSearch: true, act: () => type(offered) },
  ]
}

/**
 * Returns matching transactions of all bank accounts, except archived ones, which have no screen.
 */
function useFound(text: string, manner: Manner): Entry[] {
  const navigate = useNavigate()
  const reader = useReader()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { areAmountsHidden } = usePreferences()
  const searched = useDeferredValue(text)
  const amount = searchedAmount(searched, manner)
  const { data: found = [] } = useQuery({
    queryKey: ['transactions', 'palette', searched, amount],
    enabled: searched.length > 1,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const wanted = amount === null ? { search: searched } : { amount }
      const query = { ...wanted, limit: foundMax }
      return (await coffer.listEveryTransaction({ query, signal })).data
    },
  })
  if (text.length < 2) return []
  return found.flatMap(({ transactionId, bankAccountId, name, originalName, amount, date }) => {
    const account = accounts.find((one) => one.bankAccountId === bankAccountId)
    if (account === undefined) return []
    const manner = { locale: reader.locale, currency: account.currency }
    const about = [
      accounts.length > 1 ? account.name : '',
      formatShortDay(dayOf(date, reader.timezone), reader),
      areAmountsHidden ? '' : formatFlow(amount, manner),
    ]
    const to = '/transactions/$transactionId'
    const params = { transactionId }
    const search = { account: bankAccountId }
    return {
      key: transactionId,
      text: name ?? originalName,
      about: about.filter(Boolean).join(' · '),
      act: () => void navigate({ to, params, search }),
    }
  })
}
