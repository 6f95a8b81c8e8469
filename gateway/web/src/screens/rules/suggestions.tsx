import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ruleSuggestionsQuery } from '../../api/rule-queries.ts'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { suggestionWords as words } from '../../words/rule-suggestions.ts'
import type { Known } from './names.ts'
import { type Entries, entriesOf } from './rule-entries.ts'
import { Suggestion } from './suggestion.tsx'

/** Number of suggestions that are shown first, and that each "more" adds. */
const step = 5

interface Props {
  known: Known
  edit: (entries: Entries) => void
}

/** The rules that are suggested by stored transactions; nothing without any. */
export function Suggestions({ known, edit }: Props) {
  const { data: all = [] } = useQuery(ruleSuggestionsQuery)
  const [count, setCount] = useState(step)
  if (all.length === 0) return null
  return (
    <Card title={words.title}>
      <p className={rows.soft}>{words.about}</p>
      <ul className={rows.rows} aria-label={words.list}>
        {all.slice(0, count).map((one) => (
          <li key={one.ruleSuggestionId} className={rows.row}>
            <Suggestion
              suggestion={one}
              known={known}
              edit={(draft) =>
                edit(entriesOf({ ...one, ...draft }, known.manner(one.conditions.bankAccountId)))
              }
            />
          </li>
        ))}
      </ul>
      {all.length > count && (
        <div className={rows.toolbar}>
          <Button onClick={() => setCount(count + step)}>{words.more}</Button>
        </div>
      )}
    </Card>
  )
}
