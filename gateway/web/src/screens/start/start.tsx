import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { FileUp, Landmark, type LucideIcon, PencilLine, Rss } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery, configQuery, currenciesQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { basePath, coffer } from '../../api/client.ts'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { parseAmount } from '../../format/amount-input.ts'
import { setPreferences } from '../../preferences/preferences.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { startWords } from '../../words/start.ts'
import styles from './start.module.css'

interface NewAccount {
  institutionName: string
  name: string
  currency: string
  amount: number
}

/** Ways that begin with a bank account by hand. */
type Way = 'hand' | 'file'

/** The first run: by hand, by a file, by the bank itself, or by a feed. */
export function Start() {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const [way, setWay] = useState<Way>('hand')
  const title = accounts.length === 0 ? startWords.title : startWords.titleFurther
  return (
    <Screen title={title} isNarrow>
      <Card>
        <Ways way={way} choose={setWay} />
        <p>{way === 'hand' ? startWords.text : startWords.fileNext}</p>
        <AccountForm way={way} />
      </Card>
    </Screen>
  )
}

function Ways({ way, choose }: { way: Way; choose: (way: Way) => void }) {
  const { data: config } = useQuery(configQuery)
  const own: [Way, LucideIcon, string, string][] = [
    ['hand', PencilLine, startWords.hand, startWords.handText],
    ['file', FileUp, startWords.file, startWords.fileText],
  ]
  return (
    <div className={styles.ways}>
      {config?.aggregatorEnabled && (
        <a className={styles.way} href={`${basePath}links/connect`}>
          <strong>
            <Landmark size={18} aria-hidden /> {startWords.plaid}
          </strong>
          <span>{startWords.plaidText}</span>
        </a>
      )}
      {own
        .filter(([one]) => one === 'hand' || config?.uploadsEnabled)
        .map(([one, Icon, name, text]) => (
          <button
            key={one}
            type="button"
            className={styles.way}
            aria-pressed={one === way}
            onClick={() => choose(one)}
          >
            <strong>
              <Icon size={18} aria-hidden /> {name}
            </strong>
            <span>{text}</span>
          </button>
        ))}
      {config?.feedEnabled && (
        <Link className={styles.way} to="/links/feed">
          <strong>
            <Rss size={18} aria-hidden /> {startWords.feed}
          </strong>
          <span>{startWords.feedText}</span>
        </Link>
      )}
    </div>
  )
}

function AccountForm({ way }: { way: Way }) {
  const { locale, currencyDefault } = useReader()
  const navigate = useNavigate()
  const { data: currencies = [currencyDefault] } = useQuery(currenciesQuery)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { send, isSending, fault } = useChange(createAccount)
  const problems = { ...fault?.problems, ...faults }
  const submit = (values: Record<string, string>) => {
    const { institutionName = '', name = '', currency = '', balance = '' } = values
    const amount = parseAmount(balance || '0', { locale, currency })
    const found = {
      ...(institutionName.trim() ? {} : { institutionName: startWords.required }),
      ...(name.trim() ? {} : { name: startWords.required }),
      ...(amount === null ? { currentBalance: startWords.amountFault } : {}),
    }
    setFaults(found)
    if (Object.keys(found).length > 0 || amount === null) return
    send({ institutionName, name, currency, amount }, (bankAccountId) => {
      setPreferences({ bankAccountId })
      const to = way === 'file' ? '/imports' : '/setup/plan'
      void navigate({ to, search: { account: bankAccountId } })
    })
  }
  return (
    <Form
      action={startWords.create}
      isSending={isSending}
      fault={fault}
      problems={faults}
      onSubmit={submit}
    >
      <TextField
        label={startWords.bank}
        hint={startWords.bankHint}
        name="institutionName"
        fault={problems.institutionName}
      />
      <TextField
        label={startWords.name}
        name="name"
        defaultValue={startWords.nameDefault}
        fault={problems.name}
      />
      <ChoiceField
        label={startWords.currency}
        name="currency"
        defaultValue={currencyDefault}
        options={currencies.map((value) => ({ value, text: value }))}
        fault={problems.currency}
      />
      <TextField
        label={startWords.balance}
        name="balance"
        inputMode="decimal"
        autoComplete="off"
        fault={problems.currentBalance}
      />
    </Form>
  )
}

async function createAccount({ institutionName, name, currency, amount }: NewAccount) {
  const { linkId } = (await coffer.createLink({ body: { institutionName } })).data
  const body = { linkId, name, currency, availableBalance: amount, currentBalance: amount }
  return (await coffer.createBankAccount({ body })).data.bankAccountId
}
