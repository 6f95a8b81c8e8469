import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { spendingQuery } from '../../api/budget-queries.ts'
import { tagsQuery } from '../../api/tag-queries.ts'
import type { Filters as FilterValues } from '../../api/transaction-queries.ts'
import { Button } from '../../controls/button.tsx'
import { DayField } from '../../controls/days/day-field.tsx'
import { ChoiceField } from '../../controls/field.tsx'
import { useKeys } from '../../controls/use-keys.ts'
import { amountSearchOf } from '../../format/amount-input.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { tagWords } from '../../words/tags.ts'
import { transactionWords as words } from '../../words/transactions.ts'
import styles from './transactions.module.css'

interface Props {
  bankAccountId: string
  filters: FilterValues
}

/** Debounce of typing in ms before a search starts. */
const pauseMs = 250

/**
 * Search and filters, with `children` beside them. The URL holds their state, so that it works with
 * bookmarks, links and "back".
 */
export function Filters({ bankAccountId, filters, children }: Props & { children: ReactNode }) {
  const navigate = useNavigate()
  const { search, ...others } = filters
  const isFiltered = Object.values(others).some((one) => one !== undefined)
  const [isOpen, setOpen] = useState(isFiltered)
  const [typed, setTyped] = useState(search ?? '')
  const change = (next: FilterValues) =>
    void navigate({ to: '.', search: (now) => ({ ...now, ...next }), replace: true })
  const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]))
  return (
    <search className={styles.filters}>
      <SearchField
        bankAccountId={bankAccountId}
        typed={typed}
        onType={setTyped}
        onPause={() => typed !== (search ?? '') && change({ search: typed || undefined })}
      />
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.filters}
      </Button>
      {(isFiltered || search) && (
        <Button
          kind="quiet"
          onClick={() => {
            setTyped('')
            change(none)
          }}
        >
          {words.clear}
        </Button>
      )}
      {children}
      {isOpen && (
        <div className={styles.filterFields}>
          <FilterFields bankAccountId={bankAccountId} filters={filters} change={change} />
        </div>
      )}
    </search>
  )
}

interface SearchProps {
  bankAccountId: string
  typed: string
  onType: (text: string) => void
  /** Runs after a pause in typing. */
  onPause: () => void
}

/** The search text. For a whole number, a button searches for the amount instead of names. */
function SearchField({ bankAccountId, typed, onType, onPause }: SearchProps) {
  const input = useRef<HTMLInputElement>(null)
  const search = useEffectEvent(onPause)
  const offered = amountSearchOf(typed, useManner(bankAccountId))
  useKeys((key) => {
    if (key === '/') input.current?.focus()
    return key === '/'
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the text starts a pause
  useEffect(() => {
    const timer = setTimeout(() => search(), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <>
      <div className={styles.search}>
        <Search size={18} aria-hidden />
        <input
          ref={input}
          type="search"
          aria-label={words.search}
          placeholder={words.searchHint}
          maxLength={300}
          value={typed}
          onChange={(event) => onType(event.target.value)}
        />
      </div>
      {offered !== null && (
        <p className={styles.offer}>
          <Button
            kind="quiet"
            onClick={() => {
              input.current?.focus()
              onType(offered)
            }}
          >
            {words.searchAmount({ amount: offered })}
          </Button>
        </p>
      )}
    </>
  )
}

interface FieldsProps extends Props {
  change: (next: FilterValues) => void
}

function FilterFields({ bankAccountId, filters, change }: FieldsProps) {
  const reader = useReader()
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const { from = '', to = '', spendingId = '', source = '', pending, deleted } = filters
  const state = deleted ? 'deleted' : pending === undefined ? '' : String(pending)
  return (
    <>
      <DayField
        label={words.from}
        reading={reader}
        value={from}
        onChange={(day) => change({ from: day || undefined })}
      />
      <DayField
        label={words.to}
        reading={reader}
        value={to}
        onChange={(day) => change({ to: day || undefined })}
      />
      <ChoiceField
        label={words.envelope}
        value={spendingId}
        options={[
          { value: '', text: words.all },
          { value: 'free', text: words.noEnvelope },
          { value: 'undecided', text: words.waiting },
          ...spending.map((one) => ({ value: one.spendingId, text: one.name })),
        ]}
        onChange={(value) => change({ spendingId: value || undefined })}
      />
      <TagFilter tag={filters.tag ?? ''} change={change} />
      <ChoiceField
        label={words.flow}
        value={filters.flow ?? ''}
        options={Object.entries(words.flows).map(([value, text]) => ({ value, text }))}
        onChange={(value) => change({ flow: (value || undefined) as FilterValues['flow'] })}
      />
      <ChoiceField
        label={words.source}
        value={source}
        options={[
          { value: '', text: words.anySource },
          ...Object.entries(words.sources).map(([value, text]) => ({ value, text })),
        ]}
        onChange={(value) => change({ source: (value || undefined) as FilterValues['source'] })}
      />
      <ChoiceField
        label={words.state}
        value={state}
        options={[
          { value: '', text: words.anyState },
          { value: 'false', text: words.posted },
          { value: 'true', text: words.pending },
          { value: 'deleted', text: words.deleted },
        ]}
        onChange={(value) =>
          change({
            deleted: value === 'deleted' || undefined,
            pending: value === 'true' || value === 'false' ? value === 'true' : undefined,
          })
        }
      />
    </>
  )
}

/** The tags of all bank accounts, plus the tag in the URL even if no transaction has it. */
function TagFilter({ tag, change }: { tag: string; change: FieldsProps['change'] }) {
  const { data: known = [] } = useQuery(tagsQuery)
  const names = new Set([...known.map(({ name }) => name), ...(tag ? [tag] : [])])
  return (
    <ChoiceField
      label={tagWords.tag}
      value={tag}
      options={[
        { value: '', text: tagWords.all },
        ...[...names].map((name) => ({ value: name, text: name })),
      ]}
      onChange={(value) => change({ tag: value || undefined })}
    />
  )
}
