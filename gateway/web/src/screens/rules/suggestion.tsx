import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { showNote } from '../../api/notes.ts'
import { type Actions, type Draft, noteRule, type RuleSuggestion } from '../../api/rule-queries.ts'
import { Button } from '../../controls/button.tsx'
import { ChoiceField } from '../../controls/field.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { language } from '../../words/languages/texts.ts'
import { suggestionWords as words } from '../../words/rule-suggestions.ts'
import { ruleWords } from '../../words/rules.ts'
import type { Known } from './names.ts'
import { RuleLine } from './rule-line.tsx'
import { RulePreview } from './rule-preview.tsx'
import styles from './rules.module.css'

interface Props {
  suggestion: RuleSuggestion
  known: Known
  /** Opens the form with the suggested rule. */
  edit?: (draft: Draft) => void
}

/** A suggested rule: the user may choose an envelope, and creates the rule with one click. */
export function Suggestion({ suggestion, known, edit }: Props) {
  const { name, conditions, matchedCount, changedCount, editedCount } = suggestion
  const [spendingId, setSpendingId] = useState(suggestion.actions.spendingId ?? '')
  const [isPreviewed, setPreviewed] = useState(false)
  const { spendingId: _, ...others } = suggestion.actions
  const actions: Actions = { ...others, ...(spendingId ? { spendingId } : {}) }
  const draft = { conditions, actions }
  return (
    <div className={styles.suggestion}>
      <div>
        <p className={rows.name}>{name}</p>
        <p className={rows.soft}>
          {words.counts({
            matched: matchedCount,
            changed: changedCount,
            edited: editedCount,
            fields: fieldsOf(actions),
          })}
        </p>
        <p className={rows.soft}>
          <RuleLine rule={draft} names={known} />
        </p>
      </div>
      <Envelope {...{ suggestion, known, spendingId, setSpendingId }} />
      <Acts suggestion={suggestion} actions={actions}>
        <Button
          kind="quiet"
          aria-expanded={isPreviewed}
          aria-label={words.previewOf({ name })}
          onClick={() => setPreviewed(!isPreviewed)}
        >
          {words.preview}
        </Button>
        {edit && (
          <Button kind="quiet" aria-label={words.changeOf({ name })} onClick={() => edit(draft)}>
            {words.change}
          </Button>
        )}
      </Acts>
      {isPreviewed && <RulePreview draft={draft} known={known} />}
    </div>
  )
}

/** Returns the names of the fields that a rule sets. */
function fieldsOf(actions: Actions): string {
  const names = Object.entries(words.fields).flatMap(([field, text]) =>
    field in actions ? [text] : [],
  )
  return new Intl.ListFormat(language).format(new Set(names))
}

interface EnvelopeProps extends Props {
  spendingId: string
  setSpendingId: (spendingId: string) => void
}

/** Choice of the envelope: any, or one of the bank account in the rule's conditions. */
function Envelope({ suggestion, known, spendingId, setSpendingId }: EnvelopeProps) {
  const { bankAccountId } = suggestion.conditions
  const fitting = known.envelopes.filter(
    (one) => bankAccountId === undefined || one.bankAccountId === bankAccountId,
  )
  if (fitting.length === 0) return null
  return (
    <ChoiceField
      label={words.envelopeOf({ name: suggestion.name })}
      value={spendingId}
      options={[{ value: '', text: ruleWords.unchanged }, ...fitting]}
      onChange={setSpendingId}
    />
  )
}

interface ActsProps {
  suggestion: RuleSuggestion
  actions: Actions
  children: ReactNode
}

function Acts({ suggestion, actions, children }: ActsProps) {
  const { ruleSuggestionId, name } = suggestion
  const path = { ruleSuggestionId }
  const accept = useChange(async () => {
    const isSame = actions.spendingId === suggestion.actions.spendingId
    const { data } = await coffer.acceptRuleSuggestion({
      path,
      ...(isSame ? {} : { body: { actions } }),
    })
    noteRule(data.ruleId)
  })
  const dismiss = useChange(async () => {
    await coffer.dismissRuleSuggestion({ path })
    showNote({ text: words.dismissed })
  })
  const fault = accept.fault ?? dismiss.fault
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <div className={styles.choices}>
        <Button
          aria-label={words.acceptOf({ name })}
          isBusy={accept.isSending}
          onClick={() => accept.send(undefined)}
        >
          {words.accept}
        </Button>
        {children}
        <Button
          kind="quiet"
          aria-label={words.dismissOf({ name })}
          isBusy={dismiss.isSending}
          onClick={() => dismiss.send(undefined)}
        >
          {words.dismiss}
        </Button>
      </div>
    </>
  )
}
