import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bankAccountsQuery, configQuery, currenciesQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { parseAmount } from '../../format/amount-input.ts'
import { setPreferences } from '../../preferences/preferences.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { startWords } from '../../words/start.ts'

interface NewAccount {
  institutionName: string
  name: string
  currency: string
  amount: number
}

/** The first run: a bank account that is kept by hand. */
export function Start() {
  const { data: config } = useQuery(configQuery)
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const title = accounts.length === 0 ? startWords.title : startWords.titleFurther
  return (
    <Screen title={title} isNarrow>
      <Card>
        <p>{startWords.text}</p>
        {config?.uploadsEnabled && <p>{startWords.files}</p>}
        {config?.feedEnabled && (
          <p>
            {startWords.feed} <Link to="/links/feed">{startWords.toFeed}</Link>
          </p>
        )}
        <AccountForm />
      </Card>
    </Screen>
  )
}

function AccountForm() {
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
      void navigate({ to: '/', search: { account: bankAccountId } })
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
