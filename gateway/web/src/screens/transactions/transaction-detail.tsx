import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { spendingQuery, type Transaction } from '../../api/budget-queries.ts'
import { transactionHistoryQuery } from '../../api/history-queries.ts'
import { similarQuery, transactionQuery } from '../../api/transaction-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { BrandIcon } from '../../controls/icons/brand-icon.tsx'
import { History } from '../../controls/journal/history.tsx'
import { Card, Columns, Facts, Screen } from '../../controls/screen.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatDay, formatInstant } from '../../format/days.ts'
import { useChosenAccountId, useManner, useReader } from '../../shell/chosen-account.ts'
import { historyWords } from '../../words/history.ts'
import { transactionWords as words } from '../../words/transactions.ts'
import { CorrectTransaction } from './correct-transaction.tsx'
import { EditTransaction } from './edit-transaction.tsx'
import { noneText } from './none-text.ts'
import { Pending } from './pending.tsx'
import { Provenance } from './provenance.tsx'
import { ProviderRecord } from './provider-record.tsx'
import { RemoveTransaction } from './remove-transaction.tsx'
import { SuggestedRule } from './suggested-rule.tsx'
import { Separate, Suggestions } from './suggestions.tsx'
import styles from './transactions.module.css'

const route = getRouteApi('/frame/transactions/$transactionId')

/** Details of one transaction. */
export function TransactionDetail() {
  const { transactionId } = route.useParams()
  const bankAccountId = useChosenAccountId()
  return (
    <Screen
      title={words.detail}
      help="refunds"
      actions={
        <Link to="/transactions" search={{ account: bankAccountId ?? undefined }}>
          {words.back}
        </Link>
      }
    >
      {bankAccountId && <Detail bankAccountId={bankAccountId} transactionId={transactionId} />}
    </Screen>
  )
}

function Detail(path: { bankAccountId: string; transactionId: string }) {
  const transaction = useQuery(transactionQuery(path.bankAccountId, path.transactionId))
  return (
    <Asked query={transaction} lines={8}>
      {(found) => (
        <Columns
          first={
            <>
              <Payment transaction={found} />
              <Suggestions transaction={found} />
              <Separate transaction={found} />
              <Card title={words.edit}>
                <EditTransaction key={keyOf(found)} transaction={found} />
              </Card>
              <SuggestedRule transaction={found} />
              <Provenance transaction={found} />
            </>
          }
          second={
            <>
              <CorrectTransaction transaction={found} />
              <ProviderRecord transaction={found} />
              <Similar transaction={found} />
              <Changes transaction={found} />
              <RemoveTransaction transaction={found} />
            </>
          }
        />
      )}
    </Asked>
  )
}

/**
 * Key of the form: resets it if the tags change elsewhere, for example by a rename in another tab.
 */
function keyOf({ transactionId, tags = [] }: Transaction): string {
  return [transactionId, ...tags].join()
}

function Payment({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, amount, date, name, originalName, merchantName, source } = transaction
  const { createdAt, category, spendingAmount, refundAmount, deletedAt } = transaction
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const facts = [
    // A manual transaction has no name from the bank.
    [words.original, source === 'manual' ? null : originalName],
    [words.merchant, merchantName],
    [words.category, category],
    [words.cameFrom, words.sources[source]],
    [words.booked, formatInstant(createdAt, reader)],
  ] as const
  return (
    <Card title={name ?? originalName} aside={<BrandIcon name={merchantName ?? originalName} />}>
      {deletedAt && <p>{words.wasDeleted}</p>}
      <p className={styles.figure}>
        <Amount amount={amount} manner={manner} as="flow" />
      </p>
      <p>{formatDay(dayOf(date, reader.timezone), reader)}</p>
      <Pending transaction={transaction} />
      {spendingAmount !== undefined && (
        <p className={styles.soft}>
          <Amount amount={spendingAmount} manner={manner} /> {words.fromEnvelope}
        </p>
      )}
      {refundAmount !== undefined && (
        <p className={styles.soft}>
          <Amount amount={refundAmount} manner={manner} /> {words.toEnvelope}
        </p>
      )}
      <Facts facts={facts} />
    </Card>
  )
}

/** Similar transactions; nothing until the background job has found some. */
function Similar({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId } = transaction
  const { data: cluster } = useQuery(similarQuery(bankAccountId, transactionId))
  const count = cluster?.members.filter((id) => id !== transactionId).length ?? 0
  if (!cluster || count === 0) return null
  return (
    <Card title={words.similar}>
      <p>
        {words.similarText({ count, name: cluster.name })}{' '}
        <Link
          to="/transactions"
          search={{ account: bankAccountId, search: cluster.name.slice(0, 40) }}
        >
          {words.similarShow}
        </Link>
      </p>
    </Card>
  )
}

function Changes({ transaction }: { transaction: Transaction }) {
  const { bankAccountId } = transaction
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const history = useQuery(transactionHistoryQuery(transaction))
  const { data: envelopes } = useQuery(spendingQuery(bankAccountId))
  const money = useMoneyText(manner)
  return (
    <Card title={words.history}>
      <Asked query={history}>
        {({ own, isWhole }) =>
          own.length === 0 ? (
            <p className={styles.soft}>
              {isWhole
                ? noneText(transaction, { envelopes: envelopes ?? [], money })
                : words.historyOlder}{' '}
              <Link to="/history" search={{ account: bankAccountId }}>
                {historyWords.all}
              </Link>
            </p>
          ) : (
            <History entries={own} manner={manner} place={reader} hasPots envelopes={envelopes} />
          )
        }
      </Asked>
    </Card>
  )
}
