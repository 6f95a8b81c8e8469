import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { Dialog } from '../../controls/dialog.tsx'
import fields from '../../controls/field.module.css'
import { amountSearchOf, searchedAmount } from '../../format/amount-input.ts'
import type { Manner } from '../../format/currency.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { formatFlow } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { frameWords, keyWords } from '../../words/frame.ts'
import { transactionWords } from '../../words/transactions.ts'
import { useReader } from '../chosen-account.ts'
import styles from './palette.module.css'
import { type Entry, searchedAccountsMax, useOwnEntries } from './palette-entries.ts'

const foundMax = 8

/**
 * Maximum number of transactions of an amount in minor units: some may be in accounts of another
 * currency, in which the typed amount has other minor units.
 */
const sameAmountsMax = 50

interface Props {
  onClose: () => void
  /** Opens the list of the keyboard shortcuts. */
  onKeys: () => void
}

/**
 * Command palette: searches screens, actions and objects, and transactions of all bank accounts.
 */
export function Palette({ onClose, onKeys }: Props) {
  const input = useRef<HTMLInputElement>(null)
  // Not by `autoFocus`, which comes before React Aria knows of this dialog: an open form below
  // would take the focus back.
  useEffect(() => input.current?.focus(), [])
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const type = (next: string) => {
    setText(next)
    setAt(0)
  }
  const entries = useEntries(text.trim(), onKeys, type)
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const chosenAt = Math.min(at, entries.length - 1)
  const chosen = entries[chosenAt]
  useEffect(() => {
    document.getElementById(idOf(chosenAt))?.scrollIntoView({ block: 'nearest' })
  }, [chosenAt])
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
        ref={input}
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-activedescendant={chosen && idOf(chosenAt)}
        aria-label={frameWords.palette}
        placeholder={keyWords.paletteHint}
        className={fields.input}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
      />
      <div id="palette-entries" role="listbox" aria-label={frameWords.palette}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
          <div
            key={entry.key}
            id={idOf(index)}
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
      {accounts.length > searchedAccountsMax && (
        <p className={styles.about}>{keyWords.paletteSome({ count: searchedAccountsMax })}</p>
      )}
    </Dialog>
  )
}

/** Returns the ID of the element of an entry. */
function idOf(index: number): string {
  return `palette-${index}`
}

/**
 * Returns the entries for a text: those of `useOwnEntries` at once, transactions once they are
 * loaded. For a whole number, which is searched for in names, the last ones search for the amount,
 * in the way of writing of each currency.
 */
function useEntries(text: string, openKeys: () => void, type: (next: string) => void): Entry[] {
  const manners = useManners()
  const entries = [...useOwnEntries(text, openKeys), ...useFound(text, manners)]
  const offered = manners.map((manner) => amountSearchOf(text, manner) ?? [])
  return [
    ...entries,
    ...[...new Set(offered.flat())].map((amount) => ({
      key: `amount-${amount}`,
      text: transactionWords.searchAmount({ amount }),
      about: keyWords.action,
      isSearch: true,
      act: () => type(amount),
    })),
  ]
}

/** Returns the format of amounts in each currency of the bank accounts. */
function useManners(): Manner[] {
  const { locale } = useReader()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const currencies = new Set(accounts.map(({ currency }) => currency))
  return [...currencies].map((currency) => ({ locale, currency }))
}

/**
 * Returns matching transactions of all bank accounts, except archived ones, which have no screen.
 * An amount is that of the typed text in the currency of the account.
 */
function useFound(text: string, manners: Manner[]): Entry[] {
  const navigate = useNavigate()
  const reader = useReader()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const { areAmountsHidden } = usePreferences()
  const searched = useDeferredValue(text)
  const amounts = new Map(
    manners.map((one) => [one.currency, searchedAmount(searched, one)] as const),
  )
  const wanted = [...new Set(amounts.values())].filter((amount) => amount !== null)
  const { data: found = [] } = useQuery({
    queryKey: ['transactions', 'palette', searched, wanted],
    enabled: searched.length > 1,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const queries = wanted.length
        ? wanted.map((amount) => ({ amount, limit: sameAmountsMax }))
        : [{ search: searched, limit: foundMax }]
      const lists = await Promise.all(
        queries.map((query) => coffer.listEveryTransaction({ query, signal })),
      )
      return lists.flatMap(({ data }) => data)
    },
  })
  const isWanted = (currency: string, amount: number) =>
    wanted.length === 0 || Math.abs(amounts.get(currency) ?? Number.NaN) === Math.abs(amount)
  if (text.length < 2) return []
  const newest = found.toSorted((a, b) => b.date.localeCompare(a.date))
  const shown = newest.flatMap(({ transactionId, bankAccountId, amount, date, ...one }) => {
    const account = accounts.find((one) => one.bankAccountId === bankAccountId)
    if (account === undefined || !isWanted(account.currency, amount)) return []
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
      text: one.name ?? one.originalName,
      about: about.filter(Boolean).join(' · '),
      act: () => void navigate({ to, params, search }),
    }
  })
  return shown.slice(0, foundMax)
}
