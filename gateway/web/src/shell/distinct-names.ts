import { useQuery } from '@tanstack/react-query'
import { type BankAccount, bankAccountsQuery, linksQuery } from '../api/account-queries.ts'
import { formatInstant } from '../format/days.ts'
import { distinctTexts } from '../format/distinct.ts'
import { useReader } from './chosen-account.ts'

/**
 * Returns the names of bank accounts by ID. Equal names get the bank or the creation date appended.
 */
export function useAccountNames(): Map<string, string> {
  const reader = useReader()
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const links = useQuery(linksQuery).data ?? []
  const banks = new Map(links.map((one) => [one.linkId, one.institutionName]))
  const texts = distinctTexts(
    accounts.map((one) => [
      nameOf(one),
      banks.get(one.linkId) ?? '',
      formatInstant(one.createdAt, reader),
    ]),
  )
  return new Map(accounts.map((one, index) => [one.bankAccountId, texts[index] ?? one.name]))
}

const namedMax = 2

/**
 * Returns the names of links by ID. Equal names get their accounts or the creation date appended.
 */
export function useLinkNames(): Map<string, string> {
  const reader = useReader()
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const links = useQuery(linksQuery).data ?? []
  const texts = distinctTexts(
    links.map(({ linkId, institutionName, createdAt }) => {
      const names = accounts.filter((one) => one.linkId === linkId).map(nameOf)
      const more = names.length > namedMax ? ', …' : ''
      const some = names.slice(0, namedMax).join(', ') + more
      return [institutionName, some, formatInstant(createdAt, reader)]
    }),
  )
  return new Map(links.map((one, index) => [one.linkId, texts[index] ?? one.institutionName]))
}

/** Returns the name of a bank account with its last digits, if the bank has stated them. */
function nameOf({ name, mask }: Pick<BankAccount, 'name' | 'mask'>): string {
  return mask === null ? name : `${name} ·${mask}`
}
