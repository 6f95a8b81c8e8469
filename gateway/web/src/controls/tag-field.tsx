import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, useId, useState } from 'react'
import { distinctTags, tagsQuery, typedTags } from '../api/tag-queries.ts'
import { tagWords as words } from '../words/tags.ts'
import styles from './field.module.css'
import { Field } from './field.tsx'
import looks from './tag-field.module.css'

interface Props {
  tags: string[]
  onChange: (tags: string[]) => void
  fault?: string | undefined
}

/** Editable tags: each can be removed, and typed ones are added. */
export function TagField({ tags, onChange, fault }: Props) {
  const [typed, setTyped] = useState('')
  const take = (text: string) => {
    setTyped('')
    const added = typedTags(text)
    if (added.length > 0) onChange(distinctTags([...tags, ...added]))
  }
  const press = (event: KeyboardEvent) => {
    // With an empty input, Enter submits the form as usual.
    if (event.key !== 'Enter' || typed.trim() === '') return
    event.preventDefault()
    take(typed)
  }
  return (
    <Field label={words.field} hint={words.fieldHint} fault={fault}>
      {(described) => (
        <div className={looks.field}>
          {tags.length > 0 && (
            <ul className={looks.tags} aria-label={words.own(tags)}>
              {tags.map((tag) => (
                <li key={tag} className={looks.tag}>
                  {tag}
                  <button
                    type="button"
                    aria-label={words.remove({ name: tag })}
                    onClick={() => onChange(tags.filter((one) => one !== tag))}
                  >
                    <X size={14} aria-hidden />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <KnownTagInput
            {...described}
            className={styles.input}
            value={typed}
            onChange={({ target }) => {
              if (target.value.includes(',')) take(target.value)
              else setTyped(target.value)
            }}
            onBlur={() => take(typed)}
            onKeyDown={press}
          />
        </div>
      )}
    </Field>
  )
}

/** A tag input that suggests the tags of the account. */
export function KnownTagInput(props: ComponentProps<'input'>) {
  const id = useId()
  const { data: known = [] } = useQuery(tagsQuery)
  return (
    <>
      <input autoComplete="off" maxLength={50} {...props} list={id} />
      <datalist id={id}>
        {known.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

/** Tags, read-only. */
export function Tags({ tags }: { tags: string[] }) {
  return (
    <ul className={looks.tags} aria-label={words.own(tags)}>
      {tags.map((tag) => (
        <li key={tag} className={looks.tag}>
          {tag}
        </li>
      ))}
    </ul>
  )
}
