import { coffer } from '../../api/client.ts'
import type { Draft, Rule } from '../../api/rule-queries.ts'
import { changesOf, type Saved, updateAsRead } from '../../controls/saving/as-read.ts'
import type { States } from '../../controls/saving/saving.tsx'
import type { Manner } from '../../format/currency.ts'
import { draftOf, entriesOf } from './rule-entries.ts'

export interface NamedDraft extends Draft {
  name: string
}

/** Creates or changes a rule. Conditions and actions are each replaced as a whole. */
export async function saveRule(
  wanted: NamedDraft,
  { shown, seen }: States<Rule | null>,
  mannerOf: (rule: Rule) => Manner,
): Promise<Saved<Rule, Rule>> {
  if (shown === null || seen === null) return await coffer.createRule({ body: wanted })
  const path = { ruleId: shown.ruleId }
  const manner = mannerOf(shown)
  return await updateAsRead({
    seen,
    body: changesOf(wanted, { name: shown.name, ...draftOf(entriesOf(shown, manner), manner) }),
    read: () => coffer.getRule({ path }),
    update: (body, condition) => coffer.updateRule({ path, body, ...condition }),
  })
}
