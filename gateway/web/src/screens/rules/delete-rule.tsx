import { coffer } from '../../api/client.ts'
import type { Rule } from '../../api/rule-queries.ts'
import { Confirmation } from '../../controls/confirmation.tsx'
import { ruleWords as words } from '../../words/rules.ts'

interface Props {
  rule: Rule
  onClose: () => void
}

/** Dialog that asks for confirmation before a rule is deleted. */
export function DeleteRule({ rule: { ruleId, name }, onClose }: Props) {
  return (
    <Confirmation
      title={words.deleteTitle({ name })}
      action={words.delete}
      change={() => coffer.deleteRule({ path: { ruleId } })}
      onClose={onClose}
    >
      {words.deleteText}
    </Confirmation>
  )
}
