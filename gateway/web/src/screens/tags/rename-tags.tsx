import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { renameTags } from '../../api/tag-queries.ts'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { tagWords as words } from '../../words/tags.ts'

interface Props {
  /** One tag to rename, or several to merge. */
  names: string[]
  onClose: () => void
}

/** Renames a tag, or merges several into one. */
export function RenameTags({ names, onClose }: Props) {
  const [problems, setProblems] = useState<Record<string, string>>({})
  const { send, isSending, fault } = useChange((name: string) => renameTags(names, name))
  const submit = ({ name = '' }: Record<string, string>) => {
    setProblems(name.trim() ? {} : { name: words.required })
    if (name.trim()) send(name.trim(), onClose)
  }
  const [first = ''] = names
  return (
    <Dialog
      title={names.length > 1 ? words.mergeTitle(names) : words.renameTitle({ name: first })}
      isOpen
      onClose={onClose}
    >
      <p>{words.nameText}</p>
      <Form
        action={names.length > 1 ? words.merge({ count: names.length }) : words.save}
        isSending={isSending}
        fault={fault}
        problems={problems}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          label={words.name}
          name="name"
          autoComplete="off"
          maxLength={50}
          defaultValue={first}
          fault={fault?.problems.name ?? problems.name}
        />
      </Form>
    </Dialog>
  )
}
