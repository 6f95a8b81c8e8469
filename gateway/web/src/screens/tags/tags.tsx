import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Tag, tagsMax, tagsQuery } from '../../api/tag-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { tagWords as words } from '../../words/tags.ts'
import { RemoveTag } from './remove-tag.tsx'
import { RenameTags } from './rename-tags.tsx'
import styles from './tags.module.css'

/** The tags of the account, which can be renamed, merged and removed. */
export function Tags() {
  const tags = useQuery(tagsQuery)
  return (
    <Screen title={words.title} help="tags" isNarrow>
      <p className={rows.soft}>{words.text}</p>
      <Card>
        <Asked query={tags} lines={6}>
          {(all) =>
            all.length === 0 ? <p className={rows.soft}>{words.none}</p> : <List all={all} />
          }
        </Asked>
      </Card>
    </Screen>
  )
}

function List({ all }: { all: Tag[] }) {
  const [selected, setSelected] = useState<string[]>([])
  const [isMerging, setMerging] = useState(false)
  // Renamed tags no longer exist, so they are no longer selected.
  const chosen = all.filter(({ name }) => selected.includes(name)).map(({ name }) => name)
  const toggle = (name: string) => {
    const others = chosen.filter((one) => one !== name)
    setSelected(chosen.includes(name) ? others : [...chosen, name].slice(0, tagsMax))
  }
  return (
    <>
      {all.length > 1 && (
        <div className={rows.toolbar}>
          <Button isIdle={chosen.length < 2} onClick={() => setMerging(true)}>
            {words.merge({ count: chosen.length })}
          </Button>
          <p className={rows.soft}>{words.mergeHint}</p>
        </div>
      )}
      <ul className={rows.rows} aria-label={words.list}>
        {all.map((tag) => (
          <Row
            key={tag.name}
            tag={tag}
            isSelected={all.length > 1 ? chosen.includes(tag.name) : null}
            onSelect={() => toggle(tag.name)}
          />
        ))}
      </ul>
      {isMerging && chosen.length > 0 && (
        <RenameTags names={chosen} onClose={() => setMerging(false)} />
      )}
    </>
  )
}

interface RowProps {
  tag: Tag
  /** Whether the tag is selected for a merge; null if there is no other tag to merge it with. */
  isSelected: boolean | null
  onSelect: () => void
}

function Row({ tag, isSelected, onSelect }: RowProps) {
  const { name, count } = tag
  const account = useChosenAccountId() ?? undefined
  const [open, setOpen] = useState<'rename' | 'remove' | null>(null)
  const close = () => setOpen(null)
  return (
    <li className={`${rows.row} ${styles.row}`}>
      {isSelected !== null && (
        <input
          type="checkbox"
          aria-label={words.select({ name })}
          checked={isSelected}
          onChange={onSelect}
        />
      )}
      <div className={styles.what}>
        <p className={rows.name}>
          <Link data-line={name} to="/transactions" search={{ account, tag: name }}>
            {name}
          </Link>
        </p>
        <p className={rows.soft}>{words.count({ count })}</p>
      </div>
      <Button
        kind="quiet"
        aria-label={words.renameTitle({ name })}
        onClick={() => setOpen('rename')}
      >
        {words.rename}
      </Button>
      <Button kind="quiet" aria-label={words.remove({ name })} onClick={() => setOpen('remove')}>
        {words.delete}
      </Button>
      {open === 'rename' && <RenameTags names={[name]} onClose={close} />}
      {open === 'remove' && <RemoveTag tag={tag} onClose={close} />}
    </li>
  )
}
