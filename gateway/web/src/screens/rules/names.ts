import { useQueries, useQuery } from '@tanstack/react-query'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { useChosenAccountId, useReader } from '../../shell/chosen-account.ts'
import { frameWords } from '../../words/frame.ts'
import { ruleWords as words } from '../../words/rules.ts'
import type { Entries } from './rule-entries.ts'
import type { Names } from './rule-sentence.ts'

interface Choice {
  value: string
  text: string
  bankAccountId: string
}

/** All bank accounts and envelopes, as options of fields, and their names. */
export interface Known extends Names {
  accounts: { value: string; text: string }[]
  envelopes: Choice[]
}

/** Props of a section of the form. */
export interface PartProps {
  entries: Entries
  problems: Record<string, string>
  known: Known
  change: (next: Partial<Entries>) => void
}

/**
 * Returns names of envelopes and bank accounts. With several bank accounts, the name of an envelope
 * contains that of its account.
 */
export function useKnown(): Known {
  const { locale, currencyDefault } = useReader()
  const { areAmountsHidden } = usePreferences()
  const chosen = useChosenAccountId()
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const lists = useQueries({ queries: accounts.map((one) => spendingQuery(one.bankAccountId)) })
  const envelopes = accounts.flatMap(({ bankAccountId, name: account }, at) =>
    (lists[at]?.data ?? []).map(({ spendingId, name }) => ({
      value: spendingId,
      text: accounts.length > 1 ? words.ofAccount({ name, account }) : name,
      bankAccountId,
    })),
  )
  return {
    accounts: accounts.map(({ bankAccountId, name }) => ({ value: bankAccountId, text: name })),
    envelopes,
    envelope: (id) => envelopes.find(({ value }) => value === id)?.text ?? words.unknown,
    account: (id) => accounts.find((one) => one.bankAccountId === id)?.name ?? words.unknown,
    money: (amount, manner) =>
      areAmountsHidden ? `(${frameWords.hidden})` : formatMoney(amount, manner),
    manner: (id) => {
      const account = accounts.find((one) => one.bankAccountId === (id || chosen))
      return { locale, currency: account?.currency ?? currencyDefault }
    },
  }
}
