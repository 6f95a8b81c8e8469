import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { bankAccountsQuery, currenciesQuery, linksQuery } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { showNote } from '../../api/notes.ts'
import { amountFault } from '../../controls/amounts/amount-fault.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { Button } from '../../controls/button.tsx'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { parseAmount } from '../../format/amount-input.ts'
import { currencyName, type Manner } from '../../format/currency.ts'
import { setPreferences } from '../../preferences/preferences.ts'
import { useChosenAccountId, useReader } from '../../shell/chosen-account.ts'
import { useLinkNames } from '../../shell/distinct-names.ts'
import { accountWords } from '../../words/accounts.ts'
import { startWords } from '../../words/start.ts'
import { balanceOn, type Side, SideField } from '../accounts/side-field.tsx'
import styles from './start.module.css'

/** Source of the transactions of a manual account: `hand` (typed by the user) or `file`. */
export type Way = 'hand' | 'file'

/** Account types of the API for each kind that the form offers. */
const types = {
  checking: { accountType: 'depository', accountSubType: 'checking' },
  savings: { accountType: 'depository', accountSubType: 'savings' },
  card: { accountType: 'credit', accountSubType: 'credit card' },
  loan: { accountType: 'loan', accountSubType: 'other' },
} as const

type Kind = keyof typeof types

const kinds = Object.keys(types) as Kind[]

/** `amount`: balance or debt; `limit`: of a card. In minor units. */
interface NewAccount {
  /** ID of an existing bank; empty to create one named `institutionName`. */
  linkId: string
  institutionName: string
  name: string
  kind: Kind
  currency: string
  amount: number
  limit: number
  side: Side
}

/** Form for a manual bank account, filled by hand or by files. */
export function AccountForm({ way }: { way: Way }) {
  const { locale, language, currencyDefault } = useReader()
  const { data: currencies = [currencyDefault] } = useQuery(currenciesQuery)
  const [kind, setKind] = useState<Kind>('checking')
  const [bank, chooseBank] = useState('')
  const preset = useCurrencyPreset(bank)
  const [chosenCurrency, setCurrency] = useState<string | null>(null)
  const currency = chosenCurrency ?? preset
  const goOn = useNextStep(way, kind)
  const [chosenSide, setSide] = useState<Side>('owed')
  const side = kind === 'card' ? chosenSide : 'owed'
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { send, isSending, fault } = useCreation()
  const problems = { ...fault?.problems, ...faults }
  const textOf = ofRegion(startWords.kinds, locale)
  const submit = (values: Record<string, string>) => {
    const { account, faults } = readAccount(values, locale)
    setFaults(faults)
    if (account === null) return
    send({ ...account, kind, side }, (bankAccountId) => goOn({ ...account, bankAccountId }))
  }
  return (
    <Form
      action={startWords.create}
      isSending={isSending}
      fault={fault}
      problems={faults}
      onSubmit={submit}
    >
      <BankField chosen={bank} choose={chooseBank} problems={problems} />
      <ChoiceField
        label={startWords.kind}
        value={kind}
        onChange={(next) => setKind(next as Kind)}
        options={kinds.map((value) => ({ value, text: textOf[value] }))}
        fault={problems.accountType}
      />
      <TextField
        key={kind}
        label={startWords.name}
        name="name"
        defaultValue={ofRegion(startWords.names, locale)[kind]}
        fault={problems.name}
      />
      <ChoiceField
        label={startWords.currency}
        name="currency"
        value={currency}
        onChange={setCurrency}
        options={currencies.map((value) => ({ value, text: currencyName(value, language) }))}
        fault={problems.currency}
      />
      {kind === 'card' && <SideField value={side} onChange={setSide} />}
      <Amounts kind={kind} side={side} manner={{ locale, currency }} problems={problems} />
    </Form>
  )
}

/** Returns the texts of the kinds: British and Irish banks say current instead of checking. */
function ofRegion(
  { checking, ...others }: typeof startWords.kinds,
  locale: string,
): Record<Kind, string> {
  const { region = '' } = new Intl.Locale(locale).maximize()
  return { ...others, checking: checking({ region }) }
}

/** Returns the currency of the bank, else of the chosen account, else that of the server. */
function useCurrencyPreset(bank: string): string {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const shown = useChosenAccountId()
  const { currencyDefault } = useReader()
  const ofBank = accounts.find(({ linkId }) => linkId === bank)
  const other = accounts.find(({ bankAccountId }) => bankAccountId === shown)
  return (ofBank ?? other)?.currency ?? currencyDefault
}

interface BankProps extends Pick<AmountsProps, 'problems'> {
  /** ID of the chosen bank; empty for a new one. */
  chosen: string
  choose: (linkId: string) => void
}

/** The bank: an existing manual one, or the name of a new one. */
function BankField({ chosen, choose, problems }: BankProps) {
  const { data: links = [] } = useQuery(linksQuery)
  const names = useLinkNames()
  const banks = links.filter(({ linkType }) => linkType === 'manual')
  const choice = useRef<HTMLSelectElement>(null)
  const linkId = banks.some((one) => one.linkId === chosen) ? chosen : ''
  // The name is compared with known banks only when it is typed: after a failed submit, the bank
  // that this form has created has the same name.
  const [known, setKnown] = useState<string>()
  const plain = (text: string) => text.trim().toLowerCase()
  const look = (typed: string) =>
    setKnown(banks.find((one) => plain(one.institutionName) === plain(typed))?.linkId)
  const take = (linkId: string) => {
    choice.current?.focus()
    setKnown(undefined)
    choose(linkId)
  }
  const options = banks.map((one) => ({ value: one.linkId, text: names.get(one.linkId) ?? '' }))
  const isChoice = banks.length > 0
  return (
    <>
      {isChoice && (
        <ChoiceField
          label={startWords.bank}
          name="linkId"
          ref={choice}
          value={linkId}
          onChange={take}
          options={[{ value: '', text: startWords.bankNew }, ...options]}
          fault={problems.linkId}
        />
      )}
      {linkId === '' && (
        <div className={styles.bank}>
          <TextField
            label={isChoice ? startWords.bankName : startWords.bank}
            hint={startWords.bankHint}
            name="institutionName"
            onChange={({ target }) => look(target.value)}
            fault={problems.institutionName}
          />
          <div role="status">
            {known && (
              <>
                <p>{startWords.bankKnown({ name: names.get(known) ?? '' })}</p>
                <Button onClick={() => take(known)}>{startWords.takeBank}</Button>
              </>
            )}
          </div>
        </div>
      )}
    </>
  )
}

interface AmountsProps {
  kind: Kind
  side: Side
  manner: Manner
  problems: Record<string, string>
}

/** Fields for the balance, and for the limit of a card. */
function Amounts({ kind, side, manner, problems }: AmountsProps) {
  return (
    <>
      <AmountField
        label={balanceLabel(kind, side)}
        name="balance"
        manner={manner}
        hint={startWords.balanceHint}
        fault={problems.currentBalance}
      />
      {kind === 'card' && (
        <AmountField
          label={startWords.limit}
          name="limit"
          manner={manner}
          fault={problems.limitBalance}
        />
      )}
    </>
  )
}

/**
 * Returns a function that opens the next step after the creation. A further account without files
 * does not replace the chosen one.
 */
function useNextStep(way: Way, kind: Kind) {
  const navigate = useNavigate()
  const chosen = useChosenAccountId()
  return async ({ bankAccountId, name }: { bankAccountId: string; name: string }) => {
    const show = (to: '/' | '/imports' | '/setup/plan') => {
      setPreferences({ bankAccountId })
      return navigate({ to, search: { account: bankAccountId } })
    }
    if (way === 'file') return await show('/imports')
    // Cards and loans have no paydays, because money comes in on other accounts, so no plan is set
    // up.
    if (chosen === null) return await show(isDebt(kind) ? '/' : '/setup/plan')
    await navigate({ to: '/accounts', search: { account: chosen } })
    const act = { text: startWords.show, work: () => show('/') }
    showNote({ text: startWords.added({ name }), act })
  }
}

/** Returns the mutation that creates a bank account. Retries reuse the bank that it created. */
function useCreation() {
  const links = useRef(new Map<string, string>())
  return useChange((wanted: NewAccount) => createAccount(wanted, links.current))
}

/** Parses the form; returns null and errors by field if it is invalid. */
function readAccount(values: Record<string, string>, locale: string) {
  const { linkId = '', institutionName = '', name = '', currency = '' } = values
  const { balance = '', limit = '' } = values
  const manner = { locale, currency }
  const amount = parseAmount(balance || '0', manner)
  const ofCard = parseAmount(limit || '0', manner)
  const wanted = { manner, example: 125_000, text: startWords.amountFault }
  const faults: Record<string, string> = {
    ...(linkId || institutionName.trim() ? {} : { institutionName: startWords.required }),
    ...(name.trim() ? {} : { name: startWords.required }),
    ...(amount === null ? { currentBalance: amountFault(balance, wanted) } : {}),
    ...(ofCard === null || ofCard < 0 ? { limitBalance: amountFault(limit, wanted) } : {}),
  }
  const isWhole = Object.keys(faults).length === 0 && amount !== null && ofCard !== null
  const stated = { linkId, institutionName, name, currency }
  const account = isWhole ? { ...stated, amount, limit: ofCard } : null
  return { account, faults }
}

function balanceLabel(kind: Kind, side: Side): string {
  if (!isDebt(kind)) return startWords.balance
  return side === 'owed' ? startWords.owed : accountWords.inCredit
}

function isDebt(kind: Kind): boolean {
  return kind === 'card' || kind === 'loan'
}

/**
 * Creates a bank account. Debts are negative, and the unused credit of a card is available. `links`
 * holds banks of earlier attempts by name, so that a retry does not create them again.
 */
async function createAccount(
  { linkId: chosen, institutionName, kind, amount, limit, side, ...rest }: NewAccount,
  links: Map<string, string>,
) {
  const known = chosen || links.get(institutionName)
  const linkId = known ?? (await coffer.createLink({ body: { institutionName } })).data.linkId
  if (!chosen) links.set(institutionName, linkId)
  const currentBalance = isDebt(kind) ? balanceOn(side, amount) : amount
  const sums = {
    currentBalance,
    availableBalance: currentBalance + limit,
    ...(kind === 'card' ? { limitBalance: limit } : {}),
    // Dates a typed balance, so that files with an older one do not replace it. 0 is not dated,
    // because it may be an empty field.
    ...(amount === 0 ? {} : { balancesAsOf: new Date().toISOString() }),
  }
  const body = { linkId, ...types[kind], ...rest, ...sums }
  return (await coffer.createBankAccount({ body })).data.bankAccountId
}
