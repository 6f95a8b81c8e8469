import { useChange } from '../../api/changes.ts'
import { renameTags, type Tag } from '../../api/tag-queries.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { tagWords as words } from '../../words/tags.ts'

interface Props {
  tag: Tag
  onClose: () => void
}

/** Asks before a tag is removed from all transactions. */
export function RemoveTag({ tag, onClose }: Props) {
  const { send, isSending, fault } = useChange(() => renameTags([tag.name], null))
  return (
    <Dialog title={words.deleteTitle(tag.name)} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.deleteText(tag.count)}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" isBusy={isSending} onClick={() => send(undefined, onClose)}>
          {words.delete}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}
