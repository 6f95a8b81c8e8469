import { Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import type { BulkChange } from '../../api/bulk-changes.ts'
import { distinctTags, typedTags } from '../../api/tag-queries.ts'
import { Button } from '../../controls/button.tsx'
import { useIsNarrow } from '../../controls/tables/use-narrow.ts'
import { KnownTagInput } from '../../controls/tag-field.tsx'
import { tagWords as words } from '../../words/tags.ts'
import styles from './transactions.module.css'

interface Props {
  state: { isBusy: boolean; isIdle: boolean }
  change: (wanted: BulkChange) => void
}

/** Adds tags to all selected transactions, or removes them; separated by commas. */
export function TagMany({ state, change }: Props) {
  const isNarrow = useIsNarrow()
  const [typed, setTyped] = useState('')
  const tags = distinctTags(typedTags(typed))
  const rest = { ...state, isIdle: state.isIdle || tags.length === 0 }
  return (
    <div className={styles.assign}>
      <KnownTagInput
        aria-label={words.tag}
        placeholder={words.tag}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button {...rest} aria-label={words.add} onClick={() => change({ set: { addTags: tags } })}>
        {isNarrow ? <Plus size={18} aria-hidden /> : words.add}
      </Button>
      <Button
        {...rest}
        aria-label={words.take}
        onClick={() => change({ set: { removeTags: tags } })}
      >
        {isNarrow ? <Minus size={18} aria-hidden /> : words.take}
      </Button>
    </div>
  )
}
