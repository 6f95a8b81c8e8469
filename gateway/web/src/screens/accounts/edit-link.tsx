import type { Link } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { accountWords as words } from '../../words/accounts.ts'

interface Props {
  link: Link
  /** The name by which it differs from other connections. */
  title: string
  onClose: () => void
}

/** The dialog of a connection's name and note. */
export function EditLink({ link, title, onClose }: Props) {
  const { linkId, institutionName, description } = link
  const { send, isSending, fault } = useChange(
    (body: { institutionName: string; description: string | null }) =>
      coffer.updateLink({ path: { linkId }, body }),
  )
  const submit = ({ name = '', note = '' }: Record<string, string>) =>
    send({ institutionName: name.trim(), description: note.trim() || null }, onClose)
  return (
    <Dialog title={`${words.editLink}: ${title}`} isOpen onClose={onClose}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField
          label={words.name}
          name="name"
          defaultValue={institutionName}
          maxLength={300}
          fault={fault?.problems.institutionName}
        />
        <TextField
          label={words.note}
          name="note"
          defaultValue={description ?? ''}
          maxLength={300}
          fault={fault?.problems.description}
        />
      </Form>
    </Dialog>
  )
}
