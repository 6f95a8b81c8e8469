import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Rule } from '../../api/rule-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { ruleWords as words } from '../../words/rules.ts'
import { DeleteRule } from './delete-rule.tsx'
import type { Known } from './names.ts'
import { useRuleDrag } from './rule-drag.ts'
import { RuleLine } from './rule-line.tsx'
import styles from './rules.module.css'

interface Props {
  rules: Rule[]
  known: Known
  edit: (rule: Rule) => void
}

/** The rules in their order, which buttons or drag and drop change. */
export function RuleList({ rules, known, edit }: Props) {
  const [moved, setMoved] = useState('')
  const { send, isSending, fault } = useChange((ruleIds: string[]) =>
    coffer.orderRules({ body: { ruleIds } }),
  )
  const move = (ruleId: string, place: number) => {
    const rule = rules.find((one) => one.ruleId === ruleId)
    if (rule === undefined || place < 0 || place >= rules.length) return
    const others = rules.filter((one) => one !== rule).map((one) => one.ruleId)
    const ordered = others.toSpliced(place, 0, ruleId)
    send(ordered, () =>
      setMoved(words.moved({ name: rule.name, place: place + 1, count: rules.length })),
    )
  }
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <ol className={rows.rows} aria-label={words.list}>
        {rules.map((rule, place) => (
          <Row
            key={rule.ruleId}
            rule={rule}
            known={known}
            place={place}
            count={rules.length}
            isMoving={isSending}
            move={move}
            edit={() => edit(rule)}
          />
        ))}
      </ol>
      <p role="status" className={styles.moved}>
        {moved}
      </p>
    </>
  )
}

interface RowProps {
  rule: Rule
  known: Known
  place: number
  count: number
  isMoving: boolean
  move: (ruleId: string, place: number) => void
  edit: () => void
}

function Row({ rule, known, place, count, isMoving, move, edit }: RowProps) {
  const { ruleId, name } = rule
  const [isAsked, setAsked] = useState(false)
  const drag = useRuleDrag(ruleId, (other) => move(other, place))
  return (
    <li className={`${rows.row} ${styles.row}`} {...drag}>
      <GripVertical size={18} aria-hidden className={styles.grip} />
      <div className={styles.what}>
        <p className={rows.name}>{name}</p>
        <p className={rows.soft}>
          <RuleLine rule={rule} names={known} />
        </p>
      </div>
      <div className={styles.acts}>
        <Button
          kind="quiet"
          aria-label={words.up({ name })}
          isBusy={isMoving}
          isIdle={place === 0}
          onClick={() => move(ruleId, place - 1)}
        >
          <ArrowUp size={18} aria-hidden />
        </Button>
        <Button
          kind="quiet"
          aria-label={words.down({ name })}
          isBusy={isMoving}
          isIdle={place === count - 1}
          onClick={() => move(ruleId, place + 1)}
        >
          <ArrowDown size={18} aria-hidden />
        </Button>
        <Button
          kind="quiet"
          data-line={ruleId}
          aria-label={words.editTitle({ name })}
          onClick={edit}
        >
          {words.edit}
        </Button>
        <Button kind="quiet" aria-label={words.deleteOf({ name })} onClick={() => setAsked(true)}>
          {words.delete}
        </Button>
      </div>
      {isAsked && <DeleteRule rule={rule} onClose={() => setAsked(false)} />}
    </li>
  )
}
