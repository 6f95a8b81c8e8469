import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { type Rule, rulesQuery } from '../../api/rule-queries.ts'
import { similarQuery, transactionQuery } from '../../api/transaction-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { useOpenedForm } from '../../shell/opened-form.ts'
import { ruleWords as words } from '../../words/rules.ts'
import { type Known, useKnown } from './names.ts'
import { type Entries, entriesLike, entriesOf } from './rule-entries.ts'
import { RuleForm } from './rule-form.tsx'
import { RuleList } from './rule-list.tsx'
import { Runs } from './runs.tsx'
import { Suggestions } from './suggestions.tsx'

const route = getRouteApi('/frame/rules')

/** The rule in the form; null for a new one. */
interface Edited {
  rule: Rule | null
  entries: Entries
}

/** The rules of the account in their order, and the form of a rule. */
export function Rules() {
  const rules = useQuery(rulesQuery)
  const known = useKnown()
  const { like } = route.useSearch()
  const navigate = useNavigate()
  const [edited, setEdited] = useState<Edited | null>(null)
  const [isCreating, setCreating] = useOpenedForm('rule')
  const edit = (rule: Rule | null) => {
    const manner = known.manner(rule?.conditions.bankAccountId)
    setEdited({ rule, entries: entriesOf(rule, manner) })
  }
  const create = (
    <Button kind="primary" onClick={() => edit(null)}>
      <Plus size={18} aria-hidden />
      {words.create}
    </Button>
  )
  return (
    <Screen title={words.title} actions={create} help="rules" isNarrow>
      <p className={rows.soft}>{words.about}</p>
      <Suggestions known={known} edit={(entries) => setEdited({ rule: null, entries })} />
      <Card>
        <Asked query={rules} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <p className={rows.soft}>{words.none}</p>
            ) : (
              <RuleList rules={all} known={known} edit={edit} />
            )
          }
        </Asked>
      </Card>
      {rules.data && <Runs rules={rules.data} known={known} />}
      {isCreating && (
        <RuleForm
          rule={null}
          entries={entriesOf(null, known.manner(undefined))}
          known={known}
          onClose={() => setCreating(false)}
        />
      )}
      {edited && <RuleForm {...edited} known={known} onClose={() => setEdited(null)} />}
      {like && (
        <FormLike
          transactionId={like}
          known={known}
          onClose={() => void navigate({ to: '/rules', search: {}, replace: true })}
        />
      )}
    </Screen>
  )
}

interface LikeProps {
  transactionId: string
  known: Known
  onClose: () => void
}

/** The form of a new rule, with values for transactions similar to the given one. */
function FormLike({ transactionId, known, onClose }: LikeProps) {
  const account = useChosenAccountId() ?? ''
  const enabled = account !== ''
  const { data } = useQuery({ ...transactionQuery(account, transactionId), enabled })
  const similar = useQuery({ ...similarQuery(account, transactionId), enabled })
  if (data === undefined || similar.isPending) return null
  const manner = known.manner(data.bankAccountId)
  const entries = entriesLike(data, similar.data?.name ?? null, manner)
  return <RuleForm rule={null} entries={entries} known={known} onClose={onClose} />
}
