import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Transaction } from '../../api/budget-queries.ts'
import { provenanceQuery, rulesQuery } from '../../api/rule-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { ruleWords as words } from '../../words/rules.ts'

type Field = keyof typeof words.fields

/** Provenance of name, merchant, note, tags and envelope of a transaction. */
export function Provenance({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId, source } = transaction
  const query = useQuery(provenanceQuery(bankAccountId, transactionId))
  const { data: rules = [] } = useQuery(rulesQuery)
  return (
    <Card
      title={words.who}
      aside={
        <Link to="/rules" search={{ account: bankAccountId, like: transactionId }}>
          {words.fromThis}
        </Link>
      }
    >
      <Asked query={query}>
        {({ provenance = [], ...now }) => {
          const whoOf = (field: Field): string => {
            const mark = provenance.find((one) => one.field === field)
            if (mark === undefined) return words.bySource[source]
            const rule = rules.find(({ ruleId }) => ruleId === mark.ruleId)
            return rule ? words.byRule({ name: rule.name }) : words.by[mark.by]
          }
          const fields = (Object.keys(words.fields) as Field[]).filter(
            (field) =>
              provenance.some((one) => one.field === field) ||
              field === 'name' ||
              hasField(now, field),
          )
          return (
            <dl className={rows.facts}>
              {fields.map((field) => (
                <div key={field}>
                  <dt>{words.fields[field]}</dt>
                  <dd>{whoOf(field)}</dd>
                </div>
              ))}
            </dl>
          )
        }}
      </Asked>
    </Card>
  )
}

function hasField(transaction: Transaction, field: Field): boolean {
  if (field === 'spendingId') {
    return Boolean(transaction.spendingId ?? transaction.refundSpendingId)
  }
  return Boolean(transaction[field])
}
