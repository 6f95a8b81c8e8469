import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { announceChange } from '../../api/query-client.ts'
import { isMoving, type Rule, type RuleRun, ruleRunsQuery } from '../../api/rule-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { runWords as words } from '../../words/rule-runs.ts'
import { ApplyRules } from './apply-rules.tsx'
import type { Known } from './names.ts'
import styles from './rules.module.css'
import { UndoRun } from './undo-run.tsx'

interface Props {
  rules: Rule[]
  known: Known
}

/** Applies the rules to stored transactions, and lists previous runs. */
export function Runs({ rules, known }: Props) {
  const runs = useQuery(ruleRunsQuery)
  const [isAsked, setAsked] = useState(false)
  const isWorking = runs.data?.some(isMoving) ?? false
  // When the runs end, all screens fetch their answers again, because runs change transactions.
  useEffect(() => {
    if (isWorking) return () => void announceChange()
  }, [isWorking])
  if (rules.length === 0 && (runs.data ?? []).length === 0) return null
  return (
    <Card title={words.title}>
      <p className={rows.soft}>{words.about}</p>
      {rules.length > 0 && (
        <div className={rows.toolbar}>
          <Button onClick={() => setAsked(true)}>{words.apply}</Button>
        </div>
      )}
      <Asked query={runs} lines={1}>
        {(all) =>
          all.length > 0 && (
            <ul className={rows.rows} aria-label={words.list}>
              {all.map((run) => (
                <Row key={run.ruleRunId} run={run} rules={rules} />
              ))}
            </ul>
          )
        }
      </Asked>
      {isAsked && <ApplyRules known={known} onClose={() => setAsked(false)} />}
    </Card>
  )
}

function Row({ run, rules }: { run: RuleRun; rules: Rule[] }) {
  const reader = useReader()
  const [isAsked, setAsked] = useState(false)
  const { status, error, ruleIds, createdAt } = run
  const rule = rules.find(({ ruleId }) => ruleIds.length === 1 && ruleId === ruleIds[0])
  const isUndone = status === 'undoing' || status === 'undone'
  const { matchedCount, changedCount, leftAloneCount, undoneCount, keptCount } = run
  return (
    <li className={`${rows.row} ${styles.run}`}>
      <div className={styles.what}>
        <p className={rows.name}>
          {rule ? words.ofRule({ name: rule.name }) : words.ofRules({ count: ruleIds.length })}
        </p>
        <p className={rows.soft}>{formatInstant(createdAt, reader)}</p>
        {error && <p>{error}</p>}
      </div>
      <div className={rows.figures} role="status">
        <p>{words.statuses[status]}</p>
        <p className={rows.soft}>
          {isUndone
            ? words.undoneCounts({ undone: undoneCount, kept: keptCount })
            : words.counts({ matched: matchedCount, changed: changedCount, left: leftAloneCount })}
        </p>
        {isMoving(run) && <progress aria-label={words.working} />}
        {!isUndone && changedCount > 0 && (
          <Button kind="quiet" onClick={() => setAsked(true)}>
            {words.undo}
          </Button>
        )}
      </div>
      {isAsked && <UndoRun run={run} onClose={() => setAsked(false)} />}
    </li>
  )
}
