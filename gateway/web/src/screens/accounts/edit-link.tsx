import type { Link } from '../../api/account-queries.ts'
import { coffer } from '../../api/client.ts'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { changesOf, updateAsRead } from '../../controls/saving/as-read.ts'
import { useSaving } from '../../controls/saving/saving.tsx'
import { accountWords as words } from '../../words/accounts.ts'

interface Props {
  link: Link
  /** A name of the connection that no other connection has. */
  title: string
  onClose: () => void
}

type Named = Pick<Link, 'institutionName' | 'description'>

/** Dialog with a connection's name and note. */
export function EditLink({ link, title, onClose }: Props) {
  const path = { linkId: link.linkId }
  const { shown, taken, send, fault, form } = useSaving({
    subject: link as Named,
    action: words.save,
    save: (wanted: Named, states) =>
      updateAsRead({
        seen: states.seen,
        body: changesOf(wanted, states.shown),
        read: () => coffer.getLink({ path }),
        update: (body, condition) => coffer.updateLink({ path, body, ...condition }),
      }),
    sayField: (field, present) =>
      field === 'description'
        ? [words.note, present.description ?? '–']
        : [words.name, present.institutionName],
  })
  const submit = ({ name = '', note = '' }: Record<string, string>) =>
    send({ institutionName: name.trim(), description: note.trim() || null }, onClose)
  return (
    <Dialog title={words.editLinkOf({ name: title })} isOpen onClose={onClose}>
      <Form key={taken} {...form} onSubmit={submit} onCancel={onClose}>
        <TextField
          label={words.name}
          name="name"
          defaultValue={shown.institutionName}
          maxLength={300}
          fault={fault?.problems.institutionName}
        />
        <TextField
          label={words.note}
          name="note"
          defaultValue={shown.description ?? ''}
          maxLength={300}
          fault={fault?.problems.description}
        />
      </Form>
    </Dialog>
  )
}
