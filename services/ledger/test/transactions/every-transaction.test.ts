import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { booting } from '@coffer/host/testing/booting'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { ledger } from '../../src/service.ts'
import { searchCosts } from '../../src/transactions/transaction-search.service.ts'
import { findByText } from '../../src/transactions/transaction-search.sql.ts'
import { refusals } from '../outcomes.ts'
import {
  type Filter,
  list,
  namesOf,
  nextOf,
  searchFor,
  withTransactions,
} from './searched-household.ts'

const booted = booting([ledger])

test('the list of all bank accounts has those of each, and no others', async () => {
  const home = await withTransactions(booted)
  const { as, links, accounts, transactions, linkId, spendingId } = home
  const bill = { amount: 5n, date: timestampFromDate(new Date('2026-03-02T12:00:00Z')) }
  const addTo = async (link: string, name: string) => {
    const { bankAccount } = await accounts.createBankAccount({ linkId: link, name }, as)
    const { bankAccountId = '' } = bankAccount ?? {}
    await transactions.createTransaction({ bankAccountId, ...bill, name }, as)
    return bankAccountId
  }
  const other = await links.createLink({ institutionName: 'Other' }, as)
  const { linkId: otherId = '' } = other.link ?? {}
  const archived = await addTo(linkId, 'Café of an archived account')
  await addTo(otherId, 'Café of a deleted link')
  await withTransactions(booted)
  const before = (await list({ ...home, bankAccountId: '' })).version
  await accounts.archiveBankAccount({ bankAccountId: archived }, as)
  await links.deleteLink({ linkId: otherId }, as)
  const every = { ...home, bankAccountId: '' }
  const table: [Filter, string[]][] = [
    [{}, ['Fuel', 'Café of an archived account', '100% Juice', 'Tram', 'Café Central']],
    [{ search: 'café' }, ['Café of an archived account', 'Tram', 'Café Central']],
    [{ pending: true }, ['Fuel', '100% Juice']],
    [{ free: true, amountFrom: 1n }, ['Café of an archived account', '100% Juice']],
    [{ deleted: true }, ['Café gone']],
    [{ spendingId }, ['Fuel', 'Café Central']],
    [{ spendingId, search: 'fuel' }, ['Fuel']],
  ]
  for (const [filter, names] of table) {
    expect({ filter, names: await namesOf(every, filter) }).toEqual({ filter, names })
  }
  const database = booted.database('ledger')
  const search = { ...searchFor(null, 'café', null), limit: 25 }
  const found = await findByText(database, home.accountId, { search, ...searchCosts })
  expect(found?.found).toBe(3)
  const first = await list(every, { limit: 2 })
  const rest = await list(every, nextOf(first))
  const named = [...first.transactions, ...rest.transactions].map(({ name }) => name)
  expect(named).toEqual(table[0]?.[1])
  expect(first.version).toBe(rest.version)
  expect(first.version).not.toBe(before)
  const stranger = { ...every, as: booted.as(newId('acct')) }
  expect(await namesOf(stranger, {})).toEqual([])
  expect(await refusals(list(stranger, { spendingId }))).toEqual(['NotFound'])
})
