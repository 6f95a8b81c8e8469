import { withClient } from '@coffer/host/testing/database'
import { findClusters } from '@coffer/ledger/similar/cluster-search'
import { newPerson, type Person } from '../harness/person.ts'
import { newPlanner, planWork } from './own-plans.ts'
import type { OwnFigure } from './report/own-report.ts'
import type { Measured } from './server.ts'
import { repeats, timed, type Work } from './timing.ts'

const pollMs = 20

/**
 * Measures work for which no reference figures exist, on bank accounts of 10,000 and of `rows`
 * transactions. Runs one kind of work after the other, over one connection.
 */
export async function measureOwn(
  { baseUrl, stack }: Pick<Measured, 'baseUrl' | 'stack'>,
  rows = 1_000_000,
): Promise<OwnFigure[]> {
  const { databaseUrl } = stack
  const person = await newPerson(baseUrl)
  const small = await person.createBankAccount()
  const large = await person.createBankAccount()
  await fill(databaseUrl, { accountId: person.accountId, bankAccountId: small.id, rows: 10_000 })
  await fill(databaseUrl, { accountId: person.accountId, bankAccountId: large.id, rows })
  const figures: OwnFigure[] = []
  for (const work of [
    ...reads(person, { small: small.path, large: large.path, rows }),
    ...(await writes(person)),
    ...(await planWork(await newPlanner(baseUrl), stack)),
    { work: 'Clusters of 20,000 transactions', times: repeats.long, run: async () => cluster() },
  ]) {
    figures.push(await timed(work))
  }
  return figures
}

function reads(
  person: Person,
  { small, large, rows }: { small: string; large: string; rows: number },
): Work[] {
  const many = rows.toLocaleString('en-US')
  const read = (work: string, path: string): Work => ({
    work,
    times: repeats.read,
    run: () => person.get(path),
  })
  return [
    read('GET transactions, first page of 10,000', `${small}/transactions`),
    read(`GET transactions, first page of ${many}`, `${large}/transactions`),
    read('the same, a page in the middle', `${large}/transactions?to=2011-01-01`),
    read('the same, search of a frequent word', `${large}/transactions?search=starbucks`),
    read('the same, search of a rare number', `${large}/transactions?search=no+777777`),
    read('the same, search of what is not there', `${large}/transactions?search=unheard-of`),
    read('the same, pending ones (none)', `${large}/transactions?pending=true`),
    read('GET history, first page', `${large}/history`),
  ]
}

async function writes(person: Person): Promise<Work[]> {
  const { path } = await person.createBankAccount()
  const bill = { name: 'Bill', amount: 100, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const transactions = Array.from({ length: 500 }, () => bill)
  return [
    {
      work: 'POST transactions/bulk, 500 items',
      times: repeats.write,
      run: () => person.post(`${path}/transactions/bulk`, { transactions }),
    },
    {
      work: 'Import of a QIF file of 10,000 rows',
      times: repeats.long,
      run: () => importsFile(person),
    },
  ]
}

/** Uploads a QIF file of 10,000 rows to an empty bank account, and waits until it is imported. */
async function importsFile(person: Person): Promise<void> {
  const { path } = await person.createBankAccount()
  const rows = Array.from({ length: 10_000 }, (_, index) => {
    return `D01/${(index % 28) + 1}/2026\nT-${index}.00\nPShop ${index}\n^\n`
  })
  const form = new FormData()
  form.set('data', new File([`!Type:Bank\n${rows.join('')}`], 'bench.qif'))
  const { body } = await person.call('POST', `${path}/transactions/upload`, { form })
  for (;;) {
    const upload = await person.get(`${path}/transactions/upload/${body.transactionUploadId}`)
    if (upload.status === 'complete') return
    if (upload.status === 'failed') throw new Error(upload.error)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

const shops = ['STARBUCKS', 'ALDI', 'LANDLORD', 'SHELL', 'AMAZON', 'TRAM', 'VODAFONE', 'ODEON']

function cluster(): void {
  const texts = Array.from({ length: 20_000 }, (_, n) => `CARD ${shops[n % 8]} ${n % 997} NO ${n}`)
  const transactionIds = texts.map((_, n) => `txn_${n}`)
  findClusters({ transactionIds, textOf: texts.map((_, n) => n), texts })
}

/**
 * Inserts transactions that have no envelope and do not change balances, so `coffer audit` requires
 * no journal rows for them. Each day from 2000-01-01 has 100. The numbers in their names differ.
 */
export async function fill(
  databaseUrl: string,
  of: { accountId: string; bankAccountId: string; rows: number },
): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO ledger.transactions (account_id, bank_account_id, transaction_id, amount,
        categories, date, name, original_name, original_merchant_name, is_pending, source,
        created_at)
      SELECT $1, $2, 'txn_' || lower(lpad(n::text, 26, '0')), 100, '{}',
        timestamptz '2000-01-01 06:00Z' + make_interval(days => n / 100),
        ($4::text[])[1 + n % 8] || ' ' || n % 997, 'CARD PAYMENT NO ' || n, '', false, 'manual',
        now()
      FROM generate_series(1, $3::int) AS n`,
      [of.accountId, of.bankAccountId, of.rows, shops],
    )
    await client.query('ANALYZE ledger.transactions')
  })
}
