import type { Transaction } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Card, Facts } from '../../controls/screen.tsx'
import { dayOf, formatDay, formatInstant } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { recordWords as words } from '../../words/records.ts'

/** Common fields of records of a feed and of the aggregator. */
interface Shown {
  text: string | undefined
  merchant: string | undefined
  categories: string
  amount: number
  currency: string
  date: string
  authorizedDate: string | null
  isPending: boolean
  createdAt: string
  deletedAt: string | null
}

/** The provider's data of a synced transaction, which edits and rules never change. */
export function ProviderRecord({ transaction }: { transaction: Transaction }) {
  const records = recordsOf(transaction)
  if (records.length === 0) return null
  return (
    <Card title={words.title}>
      {records.map((record) => (
        <RecordFacts key={String(record.isPending)} record={record} transaction={transaction} />
      ))}
    </Card>
  )
}

function RecordFacts({ record, transaction }: { record: Shown; transaction: Transaction }) {
  const reader = useReader()
  const manner = useManner(transaction.bankAccountId)
  const { authorizedDate, deletedAt, amount, currency } = record
  const day = (instant: string) => formatDay(dayOf(instant, reader.timezone), reader)
  const facts = [
    [words.text, record.text],
    [words.merchant, record.merchant],
    [words.categories, record.categories],
    [
      words.amount,
      <Amount key="amount" amount={amount} manner={{ ...manner, currency }} as="flow" />,
    ],
    [words.state, record.isPending ? words.pending : words.posted],
    [words.day, day(record.date)],
    [words.authorized, authorizedDate && day(authorizedDate)],
    [words.received, formatInstant(record.createdAt, reader)],
    [words.withdrawn, deletedAt && formatInstant(deletedAt, reader)],
  ] as const
  return <Facts facts={facts} />
}

/** Returns the posted record, and the pending one before it. A feed has only one record. */
function recordsOf(transaction: Transaction): Shown[] {
  const { feedTransaction, aggregatorTransaction, pendingAggregatorTransaction } = transaction
  const ofAggregator = [aggregatorTransaction, pendingAggregatorTransaction].flatMap((record) => {
    if (!record) return []
    const { name, merchantName, categories } = record
    const text = { text: name, merchant: merchantName, categories: categories?.join(', ') ?? '' }
    return [{ ...record, ...text }]
  })
  if (!feedTransaction) return ofAggregator
  const { description, deletedAt = null } = feedTransaction
  const further = { text: description, categories: '', authorizedDate: null, deletedAt }
  return [{ ...feedTransaction, ...further }]
}
