import { renameTags, type Tag } from '../../api/tag-queries.ts'
import { Confirmation } from '../../controls/confirmation.tsx'
import { tagWords as words } from '../../words/tags.ts'

interface Props {
  tag: Tag
  onClose: () => void
}

/** Dialog that asks for confirmation before a tag is removed from all transactions. */
export function RemoveTag({ tag, onClose }: Props) {
  return (
    <Confirmation
      title={words.deleteTitle({ name: tag.name })}
      action={words.delete}
      change={() => renameTags([tag.name], null)}
      onClose={onClose}
    >
      {words.deleteText({ count: tag.count })}
    </Confirmation>
  )
}
